"""Tracks cards between rests: splayed, piled or overlapping."""
