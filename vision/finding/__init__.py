"""Finds pieces and foreign objects in a picture."""
