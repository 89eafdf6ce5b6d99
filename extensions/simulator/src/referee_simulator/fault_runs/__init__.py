"""Nights of mixed faults: matches in which everything is drawn from a seed, and everything goes wrong now and then."""
