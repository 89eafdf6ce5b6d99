"""Reads and checks the table file."""

from __future__ import annotations

from pathlib import Path

from device.resources import resource
from device.settings import wiring
from device.settings.table import TableSettings
from vision.files import BadFile, read_text
from vision.files.decode import read, with_lines
from vision.files.reading import LONGEST_TOML, toml_of

__all__ = ["TableSettings", "load", "parse", "template"]


def load(path: Path) -> TableSettings:
    """Return a TOML file's settings. Raises BadFile with key, line and remedy of each fault."""
    return parse(read_text(path, limit=LONGEST_TOML, remedy="write one with `referee setup`"), path)


def parse(text: str, path: Path | str = "table file") -> TableSettings:
    """Return a text's settings. path: for errors. Raises BadFile."""
    table, faults = read(TableSettings, toml_of(text, path))
    if table is not None:
        faults += wiring.faults(table, [fault.key for fault in faults])
    if table is None or faults:
        raise BadFile(path, *with_lines(faults, text))
    return table


def template(name: str) -> Path:
    """Return a shipped table file's path: "one-oled", "two-seats", "four-seats" or "simulated"."""
    return resource("tables", f"{name}.toml")
