"""A page for the whole room: what the table's display shows, and nothing else.

It reads one endpoint of the bus, that of the table's display, and may be reached over the network.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from pathlib import Path

import zmq
import zmq.asyncio
from aiohttp import web

from device.bus.seats import VERSION, Shown
from device.screens.render import render
from device.screens.screen import BLANK
from device.web.serving import listen
from vision.inbox import Inbox

SIZE = (256, 64)
SCALE = 4
PATIENCE_S = 25.0
_PAGE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Table referee</title>
<style>body{margin:0;background:#000;display:grid;place-items:center;min-height:100vh}
img{width:100%;max-width:1024px;image-rendering:pixelated}</style>
<img id="screen" src="screen.png" alt="the table's display">
<script>
let shown = 0
for (;;) {
  try {
    shown = await (await fetch(`news?after=${shown}`)).json()
    document.getElementById("screen").src = `screen.png?${shown}`
  } catch { await new Promise(r => setTimeout(r, 2000)) }
}
</script>""".replace("<script>", '<script type="module">')


class Room:
    """The newest screen, and whoever waits for the next."""

    def __init__(self) -> None:
        self._shown = Shown("table", 0, BLANK, "en")
        self._count = 0
        self._changed = asyncio.Condition()

    async def listen(self, socket: zmq.asyncio.Socket) -> None:
        """Takes screens from the endpoint until cancelled."""
        inbox: Inbox[Shown] = Inbox("room", Shown, VERSION)
        while True:
            shown = inbox.receive(await socket.recv())
            if shown is not None:
                async with self._changed:
                    self._shown, self._count = shown, self._count + 1
                    self._changed.notify_all()

    async def page(self, _: web.Request) -> web.Response:
        return web.Response(text=_PAGE, content_type="text/html")

    async def picture(self, _: web.Request) -> web.Response:
        return web.Response(body=png(self._shown), content_type="image/png", headers={"Cache-Control": "no-store"})

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


def png(shown: Shown) -> bytes:
    """The screen as a picture, enlarged."""
    image = render(shown.screen, SIZE, shown.language)
    out = io.BytesIO()
    image.resize((SIZE[0] * SCALE, SIZE[1] * SCALE)).save(out, "PNG")
    return out.getvalue()


async def serve(
    endpoint: Path, host: str, port: int, stop: asyncio.Event, *, ready: Callable[[], None] = lambda: None
) -> None:
    """Serves the page until `stop`; `ready` hears when it can be opened. Raises PageError if the port is taken."""
    room, context = Room(), zmq.asyncio.Context()
    socket = context.socket(zmq.SUB)
    socket.setsockopt(zmq.SUBSCRIBE, b"")
    socket.connect(f"ipc://{endpoint}")
    application = web.Application()
    application.add_routes([web.get("/", room.page), web.get("/screen.png", room.picture), web.get("/news", room.news)])
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    listening = asyncio.ensure_future(room.listen(socket))
    try:
        await listen(runner, host, port)
        ready()
        await stop.wait()
    finally:
        listening.cancel()
        await runner.cleanup()
        context.destroy(0)
