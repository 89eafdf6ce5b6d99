"""Displays: luma devices that receive only what changed, and their keepers."""
