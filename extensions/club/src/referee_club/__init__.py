"""Runs a club's host, which archives and shows its tables' public messages, and sends tables nothing."""
