"""Tracks pieces between rests through hands."""
