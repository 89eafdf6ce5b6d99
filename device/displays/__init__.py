"""Drives displays: luma devices that receive only changes, and their keepers."""
