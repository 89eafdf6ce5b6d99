"""Turns camera frames into observations. Knows no rules and imports no device."""
