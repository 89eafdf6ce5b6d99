"""Displays: luma devices that get only what changed, and their keepers."""
