"""Recognises pieces: canonical pictures, references, descriptors, confidence."""
