"""What the machine says of itself to the daemon, from inside the service's sandbox; None where it does not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from vision.files import BadFile, read_bytes

HEAT = Path("/sys/class/thermal/thermal_zone0/temp")
THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
"""The flags of `vcgencmd get_throttled`, in hexadecimal digits: of the firmware's driver (raspberrypi.c)."""

MEMORY = Path("/proc/meminfo")


def free_bytes(folder: Path) -> int | None:
    """Return the free bytes on the disk of a folder."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def free_memory_bytes(path: Path = MEMORY) -> int | None:
    found = re.search(r"^MemAvailable: +(\d+) kB", _text(path), re.MULTILINE)
    return None if found is None else int(found[1]) * 1024


def heat_c(path: Path = HEAT) -> float | None:
    """Degrees Celsius of the processor."""
    told = _text(path).strip()
    return int(told) / 1000 if told.isdecimal() else None


def throttling(path: Path = THROTTLED) -> int | None:
    """Return what weak power and heat have cost: see `device.owner.health`."""
    try:
        return int(_text(path).strip(), 16)
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("ascii", "replace")
    except BadFile:
        return ""
