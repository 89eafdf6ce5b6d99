"""Reads and checks the table file."""

from device.settings.load import load, parse, template
from device.settings.table import TableSettings

__all__ = ["TableSettings", "load", "parse", "template"]
