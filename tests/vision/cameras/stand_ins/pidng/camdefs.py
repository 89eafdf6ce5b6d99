"""Imported by picamera2, and not used here."""


class Picamera2Camera:
    """Describes raw pictures."""
