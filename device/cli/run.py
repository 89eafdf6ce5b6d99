"""`referee run`: the daemon."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from device.cli.common import TablePath, log_to_stderr, table_settings

PANEL = "At the table"


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
        if not host or not port.isdigit():
            raise typer.BadParameter("write HOST:PORT, such as 0.0.0.0:7700", param_hint="--remote")
        opened = Remote(host, int(port))
    asyncio.run(serve(table_settings(table), opened))
