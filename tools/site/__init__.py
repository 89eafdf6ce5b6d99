"""The docs site."""
