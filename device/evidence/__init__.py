"""Evidence by which anybody can verify a match: a commitment before it, and a signed public stream of it."""
