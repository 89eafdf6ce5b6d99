"""Imported by picamera2, and not used here."""


class PICAM2DNG:
    """Writes raw pictures."""
