"""Recognises flat prints by aligning them with enrolled pictures."""
