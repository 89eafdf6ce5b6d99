"""Reads the machine's state, and reports the daemon's to `referee doctor` in a runtime file.

It reads what the service's sandbox allows; None where unavailable.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from device.clock import Clock
from device.daemon.displays import Pane
from device.daemon.vision_supervisor import CameraState, VisionWorker
from vision.files import BadFile, read_bytes, read_json, write_whole

HEAT = Path("/sys/class/thermal/thermal_zone0/temp")
THROTTLED = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
"""Throttling flags in hexadecimal, from the firmware's driver (raspberrypi.c)."""

MEMORY = Path("/proc/meminfo")


def free_bytes(folder: Path) -> int | None:
    """Return free bytes on a folder's disk; None if unknown."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def free_memory_bytes(path: Path = MEMORY) -> int | None:
    found = re.search(r"^MemAvailable: +(\d+) kB", _text(path), re.MULTILINE)
    return None if found is None else int(found[1]) * 1024


def heat_c(path: Path = HEAT) -> float | None:
    """Return the processor's temperature (°C); None if unknown."""
    told = _text(path).strip()
    return int(told) / 1000 if told.isdecimal() else None


def throttling(path: Path = THROTTLED) -> int | None:
    """Return the throttling flags (see `device.owner.health`); None if unknown."""
    try:
        return int(_text(path).strip(), 16)
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("ascii", "replace")
    except BadFile:
        return ""


LOOK_S, ANEW_S = 2.0, 10.0
"""Seconds between checks, and between writes without a change."""

STALE_S = 30.0
"""Age in seconds at which a living daemon hangs."""


class Status(msgspec.Struct, frozen=True):
    """The daemon's state.

    at: monotonic seconds.
    ready_s: the start's processor time.
    displays: by name, True if it answers.
    shut: forbidden device nodes by display.
    pages: gateway workers, or None.
    """

    pid: int
    at: float
    version: str
    ready_s: float
    safe: bool = False
    displays: dict[str, bool] = {}
    shut: dict[str, str] = {}
    camera: CameraState | None = None
    pages: dict[str, int] | None = None

    @property
    def age_s(self) -> float:
        """Seconds since it was written."""
        return time.monotonic() - self.at


def read(folder: Path) -> Status | None:
    """Return the last status; None if unreadable, or if its daemon no longer runs."""
    try:
        status = read_json(_path(folder), Status)
    except BadFile:
        return None
    return status if Path(f"/proc/{status.pid}").exists() else None


async def tell(
    folder: Path,
    begun: Status,
    panes: Mapping[str, Pane],
    worker: VisionWorker | None,
    shut: Callable[[str], Path | None],
    clock: Clock,
    pages: Callable[[], dict[str, int] | None] = lambda: None,
) -> None:
    """Write the status until cancelled. shut: returns a display's forbidden node, or None. pages: gateway workers."""
    said, due = begun, 0.0
    while True:
        there = {name: pane.keeper.there for name, pane in panes.items()}
        status = msgspec.structs.replace(
            said,
            displays=there,
            shut={name: str(node) for name in there if not there[name] and (node := shut(name)) is not None},
            camera=worker.state if worker is not None else None,
            pages=pages(),
        )
        if status != said or clock.now() >= due:
            said, due = status, clock.now() + ANEW_S
            _write(folder, msgspec.structs.replace(status, at=time.monotonic()))
        await clock.sleep_until(clock.now() + LOOK_S)


def _write(folder: Path, status: Status) -> None:
    with suppress(OSError):
        write_whole(_path(folder), msgspec.json.encode(status))


def _path(folder: Path) -> Path:
    return folder / "status.json"


def initial_status(ready_s: float, version: str, *, safe: bool) -> Status:
    return Status(os.getpid(), time.monotonic(), version, round(ready_s, 2), safe)
