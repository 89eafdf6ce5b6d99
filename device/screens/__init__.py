"""Screens: what a display shows, as data (`screen`), and how it is drawn (`render`)."""
