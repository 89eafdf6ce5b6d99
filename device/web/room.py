"""A page for the whole room: what the table's display shows, and nothing else.

It reads one endpoint of the bus, that of the table's display, and may be reached over the network, without a token:
what it shows is what everybody at the table sees.
"""

from __future__ import annotations

import asyncio
import io
import socket
from collections.abc import Callable
from pathlib import Path

import zmq
import zmq.asyncio
from aiohttp import web

from device.bus.seats import VERSION, Shown
from device.screens.render import render
from device.screens.screen import BLANK
from device.web.pages import page
from device.web.server import Server, files
from device.web.site import STATIC
from device.web.tongues import chosen
from device.web.words import ROOM
from vision.inbox import Inbox

SIZE = (256, 64)
SCALE = 4
PATIENCE_S = 25.0


class Room:
    """The newest screen, and whoever waits for the next."""

    def __init__(self) -> None:
        self._shown = Shown("table", 0, BLANK, "en")
        self._count = 0
        self._picture: tuple[int, bytes] | None = None
        self._changed = asyncio.Condition()

    async def listen(self, screens: zmq.asyncio.Socket) -> None:
        """Takes screens from the endpoint until cancelled."""
        inbox: Inbox[Shown] = Inbox("room", Shown, VERSION)
        while True:
            shown = inbox.receive(await screens.recv())
            if shown is not None:
                await self.show(shown)

    async def show(self, shown: Shown) -> None:
        """The newest screen, from now on."""
        async with self._changed:
            self._shown, self._count = shown, self._count + 1
            self._changed.notify_all()

    async def page(self, request: web.Request) -> web.Response:
        language = chosen(request.query.get("lang"), None, request.headers.get("Accept-Language", ""))
        return web.Response(text=html(language), content_type="text/html")

    async def picture(self, _: web.Request) -> web.Response:
        """The screen as a PNG, drawn once however many look at it."""
        if self._picture is None or self._picture[0] != self._count:
            self._picture = self._count, png(self._shown)
        return web.Response(body=self._picture[1], content_type="image/png")

    async def news(self, request: web.Request) -> web.Response:
        """Answers with the number of the newest screen, once there is one other than `after`."""
        after = request.query.get("after", "")
        async with self._changed:
            try:
                waiting = self._changed.wait_for(lambda: str(self._count) != after)
                await asyncio.wait_for(waiting, PATIENCE_S)
            except TimeoutError:
                pass  # nothing new: the page asks again
        return web.json_response(self._count)

    def routes(self) -> tuple[web.AbstractRouteDef, ...]:
        """The page and what it loads."""
        own = web.get("/", self.page), web.get("/screen.png", self.picture), web.get("/news", self.news)
        return (*own, files("/shared/", STATIC))


def html(language: str) -> str:
    """The page in a language."""
    return page(STATIC / "room.html", language, ROOM)


def png(shown: Shown) -> bytes:
    """The screen as a picture, enlarged."""
    image = render(shown.screen, SIZE, shown.language)
    out = io.BytesIO()
    image.resize((SIZE[0] * SCALE, SIZE[1] * SCALE)).save(out, "PNG")
    return out.getvalue()


async def serve(
    endpoint: Path,
    host: str,
    port: int,
    stop: asyncio.Event,
    *,
    opened: socket.socket | None = None,
    ready: Callable[[int], None] = lambda _: None,
) -> None:
    """Serves the page until `stop`; `ready` hears the port once it can be opened. Raises PageError if it is taken.

    opened: a socket that listens, in place of host and port.
    """
    room, context = Room(), zmq.asyncio.Context()
    screens = context.socket(zmq.SUB)
    screens.setsockopt(zmq.SUBSCRIBE, b"")
    screens.connect(f"ipc://{endpoint}")
    server = Server(room.routes(), host, port, opened=opened)
    listening = asyncio.ensure_future(room.listen(screens))
    try:
        await server.start()
        ready(server.port)
        await stop.wait()
    finally:
        listening.cancel()
        await server.close()
        context.destroy(0)
