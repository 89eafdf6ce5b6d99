"""Whole matches without a browser: planned, run in simulated time, spread over processes, counted."""
