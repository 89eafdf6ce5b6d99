"""Whole matches without a browser, in simulated time."""
