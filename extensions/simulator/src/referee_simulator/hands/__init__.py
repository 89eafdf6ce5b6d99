"""Hands: what an action looks like, stroke by stroke."""
