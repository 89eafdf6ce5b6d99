"""Prints mats, pieces and the calibration board at true size."""

from device.printing.document import Format, Paper, What, geometry, render, sheets, write

__all__ = ["Format", "Paper", "What", "geometry", "render", "sheets", "write"]
