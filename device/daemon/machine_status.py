"""Reads the machine's state from inside the service's sandbox; None where unavailable."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from vision.files import BadFile, read_bytes

HEAT = Path("/sys/class/thermal/thermal_zone0/temp")
THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
"""Throttling flags in hexadecimal, from the firmware's driver (raspberrypi.c)."""

MEMORY = Path("/proc/meminfo")


def free_bytes(folder: Path) -> int | None:
    """Return free bytes on a folder's disk."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def free_memory_bytes(path: Path = MEMORY) -> int | None:
    found = re.search(r"^MemAvailable: +(\d+) kB", _text(path), re.MULTILINE)
    return None if found is None else int(found[1]) * 1024


def heat_c(path: Path = HEAT) -> float | None:
    """Return the processor's temperature (°C)."""
    told = _text(path).strip()
    return int(told) / 1000 if told.isdecimal() else None


def throttling(path: Path = THROTTLED) -> int | None:
    """Return the throttling flags; see `device.owner.health`."""
    try:
        return int(_text(path).strip(), 16)
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("ascii", "replace")
    except BadFile:
        return ""
