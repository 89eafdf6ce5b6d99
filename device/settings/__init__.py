"""The table file: what is wired where."""

from device.settings.load import load, parse, template
from device.settings.table import TableSettings

__all__ = ["TableSettings", "load", "parse", "template"]
