"""The virtual camera: pictures of the true table."""
