"""Verifies signed records on any machine, and publishes running matches to a club's broker."""
