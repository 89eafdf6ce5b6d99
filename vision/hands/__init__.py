"""Hands over the mat: when the table rests, whose hand was where."""
