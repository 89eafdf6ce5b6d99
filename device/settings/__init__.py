"""Reads and checks the table file."""

from __future__ import annotations

import shlex
from pathlib import Path

from device.resources import resource
from device.settings import wiring
from device.settings.table import TableSettings
from vision.files import BadFile, read_text
from vision.files.decode import read, with_lines
from vision.files.reading import LONGEST_TOML, toml_of

__all__ = ["DEFAULT_TABLE", "TableSettings", "load", "owner_command", "parse", "template"]

DEFAULT_TABLE = Path("/etc/table-referee/table.toml")
"""The service's table file."""


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


def owner_command(file: Path, words: str) -> str:
    """Return the `referee owner` command with these words for a table file: as root for the service's."""
    if file == DEFAULT_TABLE:
        return f"sudo referee owner {words}"
    return f"referee owner --table {shlex.quote(str(file.absolute()))} {words}"
