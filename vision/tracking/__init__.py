"""Tracks stones between rests through hands."""
