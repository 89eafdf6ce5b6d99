"""A web site of private pages: each behind a token, with shipped modules and one WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from aiohttp import web

from device.locale import translate
from device.web.server import CLOSING_S, Server, files, linked
from device.web.serving import url
from device.web.tokens import Audience, Tokens
from device.web.tongues import chosen
from device.web.words import NO_PAGE

STATIC = Path(__file__).parent / "static"
"""What all pages load: served under /shared/."""

NEWS_S = 1 / 25
MAX_MESSAGE = 2048
MOST_LINKS = 12
"""So often one page may be open at the same time."""


class Content(Protocol):
    """What a site shows."""

    def page(self, audience: Audience, language: str) -> str:
        """The HTML that an audience opens."""
        ...

    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """Speaks with an opened page until it goes."""
        ...


class Site:
    """Serves a page for each audience."""

    def __init__(
        self,
        audiences: Iterable[Audience],
        content: Content,
        host: str,
        port: int,
        *,
        language: str | None = None,
        routes: Iterable[web.AbstractRouteDef] = (),
    ) -> None:
        """host, port: where to listen; port 0 takes a free one.
        language: of pages on which none is chosen; None: as the browser asks.
        routes: what the pages load beside the shared files; it is open to everybody who reaches the site.
        """
        self._tokens = Tokens(audiences)
        self._content, self._host, self._language = content, host, language
        pages = web.get("/{token}/", self._page), web.get("/{token}/link", self._link)
        self._server = Server((*pages, *routes, files("/shared/", STATIC)), host, port)
        self._links: dict[web.WebSocketResponse, Audience] = {}

    async def start(self) -> None:
        """Raises PageError if the port is taken, or the host is not this machine's."""
        await self._server.start()

    async def close(self) -> None:
        """Pages are told that they close; none of them is waited for longer than CLOSING_S."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await asyncio.gather(*(link.close() for link in self._links), return_exceptions=True)
        await self._server.close()

    def address(self, audience: Audience) -> str:
        """Where an audience's page is."""
        return url(self._host, self._server.port, f"{self._tokens.of(audience)}/")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        return web.Response(text=self._content.page(audience, self._spoken(request)), content_type="text/html")

    async def _link(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        if not _same_origin(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        if sum(each == audience for each in self._links.values()) >= MOST_LINKS:
            raise web.HTTPServiceUnavailable(text="This page is open too often: close some.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=MAX_MESSAGE, compress=False)
        await link.prepare(request)
        linked(request)
        self._links[link] = audience
        try:
            await self._content.talk(link, audience, self._spoken(request))
        finally:
            del self._links[link]
        return link

    def _audience(self, request: web.Request) -> Audience:
        audience = self._tokens.audience(request.match_info["token"])
        if audience is None:
            raise web.HTTPNotFound(text=translate(NO_PAGE, self._spoken(request)) + "\n")
        return audience

    def _spoken(self, request: web.Request) -> str:
        """The language of a page, and of the link that it opens."""
        return chosen(request.query.get("lang"), self._language, request.headers.get("Accept-Language", ""))


def _same_origin(request: web.Request) -> bool:
    """A browser names the page that opens a socket: it must be one of ours."""
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host
