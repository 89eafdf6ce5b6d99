"""Describes screens as data and draws them."""
