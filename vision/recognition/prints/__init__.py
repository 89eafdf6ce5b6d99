"""Flat prints of a known size, cards and tokens, laid over enrolled pictures pixel by pixel."""
