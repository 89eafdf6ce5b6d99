"""Detects hands over the mat and whose they were."""
