"""The table file: what is wired where."""

from device.settings.faults import Fault, SettingsError
from device.settings.load import load, parse, template
from device.settings.table import TableSettings

__all__ = ["Fault", "SettingsError", "TableSettings", "load", "parse", "template"]
