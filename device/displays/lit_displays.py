"""Writes the note that tells `switch_off` how to reach lit displays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from device.displays.oled import node
from device.pins import chip
from device.settings.table import Display, I2c
from vision.files import write_whole

NOTE = "lit"
"""File name in the runtime folder."""


def note(folder: Path, displays: Mapping[str, Display]) -> Path:
    """Write the note to disk and return its path. Raises OSError."""
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
