"""Writes and reads what everybody may know of a match, as text."""
