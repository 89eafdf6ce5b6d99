"""Stones from rest to rest, through hands: which is which, what was touched, what is lost."""
