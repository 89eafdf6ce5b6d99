"""Rules and judgement: pure functions over frozen state. No I/O, no clock, no randomness of its own."""
