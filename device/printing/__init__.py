"""Mats, stones and the calibration board on paper, at true size."""

from device.printing.document import Format, Paper, What, geometry, render, sheets, write

__all__ = ["Format", "Paper", "What", "geometry", "render", "sheets", "write"]
