"""Buttons: raw edges of any pin factory, debounced and read as gestures."""
