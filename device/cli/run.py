"""Runs `referee run`: the daemon."""

from __future__ import annotations

from typing import Annotated

import typer

from device.cli.common import TablePath, table_path
from device.cli.linux import require_linux

PANEL = "At the table"


def command(
    table: TablePath = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more in the log.")] = False,
) -> None:
    """Referee at this table, until stopped: buttons, displays, camera."""
    require_linux("run")
    from device.daemon.service import run

    run(table_path(table), verbose=verbose)
