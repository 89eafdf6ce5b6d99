"""`referee room`: a page for the whole room."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

PANEL = "At the table"


def command(
    endpoint: Annotated[Path, typer.Option(help="The socket of the table's display.")] = Path(
        "/run/referee/display-table.sock"
    ),
    host: Annotated[str, typer.Option(help="Address to serve the page on; 0.0.0.0: for the whole room.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 8139,
) -> None:
    """Show what everybody at the table may see on a page for the room. Off by default: referee-room.service.

    A socket that systemd opened for it takes the place of host and port.
    """
    if not endpoint.exists():
        typer.echo(f"{endpoint} is not there yet: `referee run` makes it; until then the page is black", err=True)
    asyncio.run(_serve(endpoint, host, port))


async def _serve(endpoint: Path, host: str, port: int) -> None:
    from device.web.room import serve
    from device.web.serving import EVERYWHERE, inherited, url

    stop, opened = asyncio.Event(), next(iter(inherited()), None)
    named = host if opened is None else EVERYWHERE[0]
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await serve(endpoint, host, port, stop, opened=opened, ready=lambda found: typer.echo(url(named, found)))
