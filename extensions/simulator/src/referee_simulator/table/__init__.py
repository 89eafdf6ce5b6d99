"""The table itself: every piece as it truly lies, the light on it, and the camera over it."""
