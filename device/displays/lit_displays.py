"""Writes down how to reach the displays that the daemon lights, so that switch_off.py can darken them without it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from device.displays.oled import node
from device.pins import chip
from device.settings.table import Display, I2c
from vision.files import write_whole

NOTE = "lit"
"""The note's name in the runtime directory."""


def note(folder: Path, displays: Mapping[str, Display]) -> Path:
    """A line for each display, on the disk when this returns; where they stand. Raises OSError."""
    lines = []
    for display in displays.values():
        bus = display.bus
        if isinstance(bus, I2c):
            lines.append(f"i2c {node(display)} {bus.address}")
        else:
            lines.append(f"spi {bus.port} {bus.device} {bus.speed_hz} {chip()} {bus.dc}")
    path = folder / NOTE
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())
    return path
