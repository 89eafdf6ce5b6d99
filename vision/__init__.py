"""Turns camera frames into observations of the table. Knows pieces and zones, no rules; imports no device."""
