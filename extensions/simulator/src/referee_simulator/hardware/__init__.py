"""Pins and displays that behave and fail as real ones."""
