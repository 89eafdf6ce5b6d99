"""Where a page can be opened, or in one sentence why not."""

from __future__ import annotations

from aiohttp import web


class PageError(OSError):
    """A page cannot be served where it was asked for."""


async def listen(runner: web.AppRunner, host: str, port: int) -> None:
    """Serves what the runner holds. Raises PageError if the port is taken, or the host is not this machine's."""
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        why = (error.strerror or str(error)).rpartition(": ")[2]
        raise PageError(f"no page can be opened at {host}:{port} ({why}): choose another --host or --port") from error
