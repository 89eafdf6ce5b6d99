"""Pins and displays that behave as the real ones do, and fail as they do."""
