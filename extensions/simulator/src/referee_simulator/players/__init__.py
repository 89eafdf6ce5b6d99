"""Players: they read displays, press, handle pieces, cheat, and repair."""
