"""The fencing phrase (F27): a state machine of its own, driven by the tables of sections 5 and 6 of the rules."""
