"""Imported by picamera2, and not used here."""
