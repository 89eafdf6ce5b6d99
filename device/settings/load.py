"""Reads, decodes and checks a table file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from device.resources import resource
from device.settings import wiring
from device.settings.decode import read
from device.settings.faults import Fault, SettingsError
from device.settings.lines import line_of
from device.settings.table import TableSettings


def load(path: Path) -> TableSettings:
    """The table described in a TOML file. Raises SettingsError, which tells every fault with its key and remedy."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise SettingsError(path, (Fault("file", "is not there", "write one with `referee setup`"),)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            path, (Fault("file", f"cannot be read ({error})", "make it readable, in UTF-8"),)
        ) from error
    return parse(text, path)


def parse(text: str, path: Path | str = "table file") -> TableSettings:
    """The same, from the file's text. `path` stands in the errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        wrong, _, where = str(error).rpartition(" (at ")
        fault = Fault(where.rstrip(")") or "file", f"is not TOML: {wrong}", "correct this line")
        raise SettingsError(path, (fault,)) from error
    table, faults = read(TableSettings, data)
    if table is not None:
        faults += wiring.faults(table, [fault.key for fault in faults])
    if table is None or faults:
        lines = [line_of(text, fault.key) for fault in faults]
        raise SettingsError(
            path, tuple(msgspec.structs.replace(fault, line=line) for fault, line in zip(faults, lines, strict=True))
        )
    return table


def template(name: str) -> Path:
    """A shipped table file: "one-oled", "two-seats", "four-seats" or "simulated"."""
    return resource("tables", f"{name}.toml")
