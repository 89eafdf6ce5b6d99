"""Runs a table from power-on: a pure reducer over keys, reports and time."""
