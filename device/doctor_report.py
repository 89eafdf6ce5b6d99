"""Writes `referee doctor --report`: machine, versions, findings and timings, without matches, names or addresses."""

from __future__ import annotations

import os
import platform
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from device.daemon import status
from device.daemon.machine_status import free_bytes
from device.doctor import Finding
from device.settings.table import TableSettings
from vision.files import BadFile, read_bytes

VERSION = 1
WRITES = 9
BLOCK = b"\0" * 4096


def gather(settings: TableSettings, findings: list[Finding], version: str) -> dict[str, Any]:
    """Return the report; None for unavailable values."""
    said = status.read(settings.runtime_dir)
    wired = msgspec.to_builtins(msgspec.structs.replace(settings, name=""), enc_hook=str)
    return {
        "report": VERSION,
        "referee": version,
        "machine": _machine(),
        "packages": _packages(),
        "disk": {"free_bytes": free_bytes(settings.state_dir), "synced_write_ms": synced_write_ms(settings.state_dir)},
        "service": None if said is None else msgspec.to_builtins(said),
        "findings": msgspec.to_builtins(findings),
        "table": {key: value for key, value in wired.items() if key != "name"},
    }


def _machine() -> dict[str, Any]:
    memory = dict(
        re.findall(r"^(MemTotal|MemAvailable|SwapTotal): +(\d+) kB", _text("/proc/meminfo") or "", re.MULTILINE)
    )
    release = re.search(r'^PRETTY_NAME="?([^"\n]*)', _text("/etc/os-release") or "", re.MULTILINE)
    heat = _text("/sys/class/thermal/thermal_zone0/temp")
    return {
        "model": (_text("/proc/device-tree/model") or "").strip("\0\n ") or None,
        "release": release[1] if release is not None else None,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "memory_kb": {name: int(size) for name, size in memory.items()},
        "temperature_c": int(heat) / 1000 if heat is not None and heat.strip().isdigit() else None,
        "throttled": _throttling_flags(),
        "up_s": round(time.monotonic()),
    }


def _throttling_flags() -> str | None:
    if (tool := shutil.which("vcgencmd")) is None:
        return None
    try:
        told = subprocess.run([tool, "get_throttled"], capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return told.stdout.strip().removeprefix("throttled=") or None


def _packages() -> dict[str, str | None]:
    wanted = {"table-referee", "picamera2", "lgpio", "spidev", "smbus2"}
    with suppress(metadata.PackageNotFoundError):
        needed = metadata.requires("table-referee") or ()
        wanted |= {re.split(r"[^A-Za-z0-9._-]", need)[0] for need in needed if "extra" not in need}
    return {name: _version(name) for name in sorted(wanted)}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def synced_write_ms(folder: Path) -> float | None:
    """Return the median time in ms of a synced page write."""
    took = []
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            for _ in range(WRITES):
                begun = time.perf_counter()
                file.write(BLOCK)
                file.flush()
                os.fsync(file.fileno())
                took.append((time.perf_counter() - begun) * 1000)
    except OSError:
        return None
    return round(statistics.median(took), 2)


def _text(path: str) -> str | None:
    try:
        return read_bytes(Path(path)).decode("utf-8", "replace")
    except BadFile:
        return None
