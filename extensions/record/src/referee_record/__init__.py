"""Verification of signed records on any machine, and the publisher of a running match to a club's broker."""
