"""`referee run`: the daemon."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from device.cli.common import TablePath, log_to_stderr, table_settings

PANEL = "At the table"
LAST_PORT = 65_535 - 8
"""There is room for a port of every display after it."""


def command(
    table: TablePath = None,
    remote: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Publish each display over the network too, from this port on: CURVE, and a key for each seat.",
            show_default=False,
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more in the log.")] = False,
) -> None:
    """Referee at this table, until stopped: buttons, displays, camera."""
    from device.daemon.service import Remote, serve

    log_to_stderr(verbose)
    opened = None
    if remote is not None:
        host, _, port = remote.rpartition(":")
        if not host or not port.isdecimal() or not 1 <= int(port) <= LAST_PORT:
            raise typer.BadParameter(
                f"write HOST:PORT, such as 0.0.0.0:7700; ports go from 1 to {LAST_PORT}", param_hint="--remote"
            )
        opened = Remote(host, int(port))
    asyncio.run(serve(table_settings(table), opened))
