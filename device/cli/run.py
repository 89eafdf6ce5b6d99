"""`referee run`: the daemon."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated

import typer

from device.cli.common import TablePath, log_to_stderr, table_path

PANEL = "At the table"


def command(
    table: TablePath = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more in the log.")] = False,
) -> None:
    """Referee at this table, until stopped: buttons, displays, camera."""
    from device.daemon import safe
    from device.daemon.service import serve

    log_to_stderr(verbose)
    asyncio.run(serve(safe.begin(table_path(table), time.monotonic())))
