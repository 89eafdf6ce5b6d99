"""Runs everything outside the rules: daemon, buttons, displays, journal, commands."""
