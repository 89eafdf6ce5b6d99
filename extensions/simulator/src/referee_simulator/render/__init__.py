"""The virtual camera: from the truth of the table to a picture of it."""
