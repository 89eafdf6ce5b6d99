"""Rules and judgement as pure functions over frozen state: no I/O, no clock, no randomness of their own."""
