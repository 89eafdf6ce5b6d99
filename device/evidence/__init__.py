"""What lets anybody verify a match: a commitment before it, and a signed public stream of it."""
