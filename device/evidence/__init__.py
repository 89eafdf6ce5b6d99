"""What lets anybody verify a match: a commitment before it, a signed public stream of it, and the check of both."""
