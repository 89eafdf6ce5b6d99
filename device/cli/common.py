"""What several commands share: the table file, logging, the question of JSON."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Annotated

import typer

from device.settings import TableSettings, load

DEFAULT_TABLE = Path("/etc/table-referee/table.toml")

TablePath = Annotated[
    Path | None,
    typer.Option(
        "--table", "-t", help=f"The table file. Without it $REFEREE_TABLE, then {DEFAULT_TABLE}.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def table_path(given: Path | None) -> Path:
    """The table file that was asked for, or the usual one."""
    return given or Path(os.environ.get("REFEREE_TABLE") or DEFAULT_TABLE)


def table_settings(given: Path | None) -> TableSettings:
    """The table that a command is about. Raises SettingsError."""
    return load(table_path(given))


def log_to_stderr(verbose: bool = False) -> None:
    """Logging for a service: the journal of systemd adds time and name."""
    level = logging.DEBUG if verbose else logging.INFO
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
