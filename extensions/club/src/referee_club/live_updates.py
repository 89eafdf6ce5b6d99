"""Sends open pages their changed parts by server-sent events (HTML Living Standard, 9.2); equal pages share work."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b

import msgspec
from aiohttp import web

from device.clock import Clock, WallClock
from device.web.server import HEADERS, mark_as_link
from referee_club.archive import Archive, NoMatch
from referee_club.markup import Markup
from referee_club.pages import Parts

GATHER_S = 0.05
"""Least seconds between events."""

STREAM = {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}

QUIET_S = 15.0
"""Seconds without news before a keep-alive."""

SHARED = 64
"""Cached pages."""

MOST = 128
"""Open pages at once."""

OF_ONE = 16
"""Open pages per address."""

Makes = Callable[[], Parts]


class Live:
    """All open pages."""

    def __init__(self, archive: Archive, clock: Clock | None = None) -> None:
        self._archive, self._clock = archive, clock or WallClock()
        self._made: OrderedDict[object, tuple[int, float, Parts]] = OrderedDict()
        self._open: dict[asyncio.Task[None], str | None] = {}

    def parts(self, page: object, makes: Makes, every_s: float = 0.0) -> Parts:
        """Return a page's parts, renewed after a change, `every_s` seconds apart at least. page: key of all that
        `makes` depends on. Raises as `makes`."""
        version, at, found = self._made.get(page, (-1, 0.0, None))
        if found is None or (version != self._archive.version and self._clock.now() >= at + every_s):
            version = self._archive.version
            found = makes()
            self._made[page] = version, self._clock.now(), found
            if len(self._made) > SHARED:
                self._made.popitem(last=False)
        self._made.move_to_end(page)
        return found

    def forget(self) -> None:
        """Drop all cached pages."""
        self._made.clear()

    async def tell(self, request: web.Request, page: object, makes: Makes, every_s: float = 0.0) -> web.StreamResponse:
        """Send a page its changes until it closes, is missing or `close` is called. Raises HTTPServiceUnavailable
        beyond MOST pages or OF_ONE."""
        if len(self._open) >= MOST or list(self._open.values()).count(request.remote) >= OF_ONE:
            raise web.HTTPServiceUnavailable(text="Too many pages are open: close some.\n")
        response = web.StreamResponse(headers={**HEADERS, **STREAM})
        task = asyncio.ensure_future(self._tell(request, response, page, makes, every_s))
        self._open[task] = request.remote
        try:
            with suppress(ConnectionError):
                await task
        finally:
            task.cancel()
            self._open.pop(task, None)
        return response

    def close(self) -> None:
        for task in tuple(self._open):
            task.cancel()

    async def _tell(
        self, request: web.Request, response: web.StreamResponse, page: object, makes: Makes, every_s: float
    ) -> None:
        await response.prepare(request)
        mark_as_link(request)
        shown: dict[str, Markup] = {}
        while True:
            changed, looked = self._archive.changed, self._clock.now()
            try:
                parts = self.parts(page, makes, every_s)
            except NoMatch:
                return
            _, made, _ = self._made[page]
            if news := _news(shown, parts):
                await response.write(news)
                shown = dict(parts)
            if self._is_as_of_now(page) and not await self._within(changed, QUIET_S):
                await response.write(b": still here\n\n")
                continue
            await self._clock.sleep_until(max(looked + GATHER_S, made + every_s))

    def _is_as_of_now(self, page: object) -> bool:
        return page in self._made and self._made[page][0] == self._archive.version

    async def _within(self, event: asyncio.Event, seconds: float) -> bool:
        over = asyncio.ensure_future(self._clock.sleep_until(self._clock.now() + seconds))
        coming = asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait((over, coming), return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            coming.cancel()
        return event.is_set()


def _news(shown: Parts, parts: Parts) -> bytes:
    changed = {name: markup for name, markup in parts.items() if shown.get(name) != markup}
    order = list(parts) if list(parts) != list(shown) else None
    if not changed and order is None:
        return b""
    said = {
        "now": time.time(),
        "parts": [[name, stamp(markup), str(markup)] for name, markup in changed.items()],
        "order": order,
    }
    return b"data: " + msgspec.json.encode(said) + b"\n\n"


def stamp(markup: Markup) -> str:
    """Return a part's digest."""
    return blake2b(markup.encode(), digest_size=6).hexdigest()


def mark_parts(parts: Parts) -> Iterator[Markup]:
    """Yield parts in elements with name and digest."""
    for name, markup in parts.items():
        yield Markup(f'<div data-part="{_attribute(name)}" data-stamp="{stamp(markup)}">{markup}</div>')


def _attribute(name: str) -> str:
    from html import escape

    return escape(name)
