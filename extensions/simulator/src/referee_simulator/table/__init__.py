"""The table: true pieces, light and camera."""
