"""Matches with mixed faults, all drawn from a seed."""
