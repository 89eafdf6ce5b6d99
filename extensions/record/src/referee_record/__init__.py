"""Signed records for others: their check on any machine, and what tells a club's broker of a match under way."""
