"""Compares what was done with the referee's verdicts."""
