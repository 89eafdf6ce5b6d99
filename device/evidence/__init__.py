"""Makes matches verifiable by a commitment and a signed public stream."""
