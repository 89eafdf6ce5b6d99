"""Runs a club's host: archives its tables' public messages and shows them. Nothing is sent to a table."""
