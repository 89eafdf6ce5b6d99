"""Players: they read displays, press, handle pieces, cheat, and put right what was refused."""
