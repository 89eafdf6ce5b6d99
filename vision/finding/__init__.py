"""Finds pieces, and whatever else lies on the mat, in one picture."""
