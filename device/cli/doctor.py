"""Runs `referee doctor`: tests the wiring, and writes a report of machine, versions, findings and timings.

A report has no matches, no names and no addresses.
"""

from __future__ import annotations

import os
import platform
import re
import statistics
import tempfile
import time
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from device.cli.common import AsJson, TablePath, table_settings, writing
from device.settings.table import NetworkCamera, TableSettings
from vision.files import BadFile, read_bytes

if TYPE_CHECKING:
    from device.doctor import Finding

PANEL = "Wiring"
VERSION = 1
WRITES = 9
BLOCK = b"\0" * 4096


def command(
    table: TablePath = None,
    as_json: AsJson = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Also write FILE: machine, versions, timings and all findings, to send to the project."),
    ] = None,
) -> None:
    """Check that every pin, bus and display and the camera answers, and tell what to do if not (exit code 1).

    A running service tells what it holds; to try the pins themselves stop it first.
    """
    from device.doctor import examine

    console, findings, settings = Console(soft_wrap=True, highlight=False), [], table_settings(table)
    for finding in examine(settings):
        findings.append(finding)
        if as_json:
            typer.echo(msgspec.json.encode(finding).decode())
            continue
        mark = ("ok ", "green") if finding.ok else ("NO ", "red")
        console.print(Text.assemble(mark, f" {finding.key}: {finding.found}"))
        if finding.remedy:
            console.print(Text(f"      {finding.remedy}"))
    if report is not None:
        _write(report, settings, findings)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


def _write(path: Path, settings: TableSettings, findings: list[Finding]) -> None:
    from device.version import version

    with writing(path):
        path.write_bytes(msgspec.json.format(msgspec.json.encode(gather(settings, findings, version())), indent=1))
    typer.echo(f"{path}: written, with nothing of a match in it", err=True)


def gather(settings: TableSettings, findings: list[Finding], version: str) -> dict[str, Any]:
    """Return the report; None for unavailable values."""
    from device.daemon import status

    state = settings.state_dir
    told = {
        "service": status.read(settings.runtime_dir),
        "findings": findings,
        "table": msgspec.structs.replace(settings, name=""),
    }
    return {
        "report": VERSION,
        "referee": version,
        "machine": _machine(),
        "packages": _packages(),
        "disk": {"free_bytes": status.free_bytes(state), "synced_write_ms": synced_write_ms(state)},
        **_without(_private(settings), msgspec.to_builtins(told, enc_hook=str)),
    }


def _private(settings: TableSettings) -> list[str]:
    """Return the addresses that a report must not show, the longest first."""
    found = set(settings.pages.hosts)
    if isinstance(settings.camera, NetworkCamera):
        found |= {settings.camera.address, urlsplit(settings.camera.address).hostname or ""}
    if settings.herald is not None:
        found |= {settings.herald.broker, settings.herald.broker.partition(":")[0]}
    return sorted(found - {""}, key=len, reverse=True)


def _without(private: list[str], value: Any) -> Any:
    """Return JSON data whose texts have "…" in place of what is private."""
    if isinstance(value, dict):
        return {key: _without(private, each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without(private, each) for each in value]
    for each in private if isinstance(value, str) else ():
        value = value.replace(each, "…")
    return value


def _machine() -> dict[str, Any]:
    from device.daemon import status

    memory = dict(
        re.findall(r"^(MemTotal|MemAvailable|SwapTotal): +(\d+) kB", _text("/proc/meminfo") or "", re.MULTILINE)
    )
    release = re.search(r'^PRETTY_NAME="?([^"\n]*)', _text("/etc/os-release") or "", re.MULTILINE)
    throttled = status.throttling()
    return {
        "model": (_text("/proc/device-tree/model") or "").strip("\0\n ") or None,
        "release": release[1] if release is not None else None,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "memory_kb": {name: int(size) for name, size in memory.items()},
        "temperature_c": status.heat_c(),
        "throttled": None if throttled is None else hex(throttled),
        "up_s": round(time.monotonic()),
    }


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
    """Return the median time in ms of a synced 4 KiB write; None if the folder can't be written."""
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
