"""The web server of the panel: pages, modules, and one WebSocket a page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from aiohttp import WSMsgType, web

from device.sim.panel.feed import Feed
from device.sim.panel.hand import Aliases, Forbidden, Hand
from device.sim.panel.messages import decoder
from device.sim.panel.stage import Stage
from device.sim.panel.tokens import Audience, Tokens
from engine.table import Seat

STATIC = Path(__file__).parent / "static"
PORT = 8137
NEWS_S = 1 / 25
MAX_MESSAGE = 2048

_log = logging.getLogger(__name__)
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Panel:
    """Serves the pages of a running simulation. Only this machine reaches it, unless `host` says otherwise."""

    def __init__(self, stage: Stage, host: str = "127.0.0.1", port: int = PORT) -> None:
        self._stage, self._host, self._port = stage, host, port
        self._tokens = Tokens(stage.seats)
        self._aliases = Aliases()
        self._runner: web.AppRunner | None = None
        self._links: set[web.WebSocketResponse] = set()
        self.dropped = 0
        """Messages that did not decode, or asked for what was not theirs."""

    async def start(self) -> None:
        """Raises OSError if the port is taken. Port 0 takes a free one."""
        app = web.Application(middlewares=[_headers])
        app.router.add_get("/{token}/", self._page)
        app.router.add_get("/{token}/link", self._link)
        app.router.add_static("/static/", STATIC)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port).start()
        self._port = self._runner.addresses[0][1]

    async def close(self) -> None:
        for link in set(self._links):
            await link.close()
        if self._runner is not None:
            await self._runner.cleanup()

    def addresses(self) -> dict[Seat | None, str]:
        """The address of the operator's page (None) and of each seat's."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        pages = (Audience(None), *(Audience(seat) for seat in self._stage.seats))
        return {each.seat: f"http://{host}:{self._port}/{self._tokens.of(each)}/" for each in pages}

    async def _page(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        return web.FileResponse(STATIC / ("operator.html" if audience.seat is None else "seat.html"))

    async def _link(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        if not _same_origin(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=MAX_MESSAGE, compress=False)
        await link.prepare(request)
        self._links.add(link)
        hand = Hand(self._stage, audience, self._aliases)
        news = asyncio.create_task(self._tell(link, audience))
        try:
            await self._listen(link, hand)
        finally:
            news.cancel()
            hand.leave()
            self._links.discard(link)
        return link

    async def _listen(self, link: web.WebSocketResponse, hand: Hand) -> None:
        async for received in link:
            if received.type is not WSMsgType.TEXT:
                self._drop("not text")
                continue
            try:
                peeked = hand.obey(decoder.decode(received.data))
            except (msgspec.MsgspecError, KeyError, Forbidden) as error:
                self._drop(f"{type(error).__name__}: {error}")
                continue
            if peeked is not None:
                answer = {"is": "peeked", "piece": peeked[0], "kind": peeked[1]}
                await link.send_str(msgspec.json.encode(answer).decode())

    async def _tell(self, link: web.WebSocketResponse, audience: Audience) -> None:
        """A slow page gets fewer frames, never old ones: nothing is asked for before the last was sent."""
        feed = Feed(self._stage, audience, self._aliases)
        try:
            await link.send_str(feed.hello())
            while not link.closed:
                for message in feed.news():
                    await (link.send_bytes(message) if isinstance(message, bytes) else link.send_str(message))
                await asyncio.sleep(NEWS_S)
        except ConnectionError:
            _log.info("a page has gone")

    def _audience(self, request: web.Request) -> Audience:
        audience = self._tokens.audience(request.match_info["token"])
        if audience is None:
            raise web.HTTPNotFound(text="No such page: open one of the addresses that the simulator printed.\n")
        return audience

    def _drop(self, why: str) -> None:
        """Counted; the first is logged."""
        self.dropped += 1
        if self.dropped == 1:
            _log.warning("a page sent what cannot be used (%s); further ones are only counted", why)


def _same_origin(request: web.Request) -> bool:
    """A browser names the page that opens a socket: it must be one of ours."""
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


@web.middleware
async def _headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(_HEADERS)
        raise
    if not response.prepared:
        response.headers.update(_HEADERS)
    return response
