"""Turns raw edges of pins into gestures."""
