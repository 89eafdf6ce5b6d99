"""Links with private pages: each behind a token, with one WebSocket; and a web site of such pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from aiohttp import web

from device.locale import translate
from device.web.door import Limits
from device.web.server import CLOSING_S, Server, files, linked
from device.web.serving import url
from device.web.tokens import Audience, Tokens
from device.web.tongues import chosen
from device.web.words import NO_PAGE

STATIC = Path(__file__).parent / "static"
"""What all pages of a site load: served under /shared/."""

NEWS_S = 1 / 25
MAX_MESSAGE = 2048
MOST_LINKS = 12
"""So often one page may be open at the same time."""


class Talks(Protocol):
    """Who speaks with pages."""

    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """Speaks with an opened page until it goes."""
        ...


class Content(Talks, Protocol):
    """What a site shows."""

    def page(self, audience: Audience, language: str) -> str:
        """The HTML that an audience opens."""
        ...


def same_origin(request: web.Request) -> bool:
    """A browser names the page that opens a socket: it must be one of ours."""
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == request.host


class Links:
    """A WebSocket for each audience, behind its token."""

    def __init__(
        self,
        whose: Callable[[str], Audience | None],
        talks: Talks,
        host: str,
        port: int,
        *,
        language: str | None = None,
        routes: Iterable[web.AbstractRouteDef] = (),
        may_open: Callable[[web.Request], bool] = same_origin,
        longest: int = MAX_MESSAGE,
        limits: Limits | None = None,
    ) -> None:
        """whose: page a token opens.
        host, port: where to listen; port 0 takes a free one.
        language: of pages on which none is chosen; None: as the browser asks.
        routes: what else is served; it is open to everybody who reaches it.
        may_open: whether the page that a request comes from may open a link.
        longest: bytes of what a page says at once; limits: of the door.
        """
        self._whose, self._talks, self._host, self._language = whose, talks, host, language
        self._may_open, self._longest = may_open, longest
        self._server = Server((web.get("/{token}/link", self._link), *routes), host, port, limits)
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

    @property
    def port(self) -> int:
        """Where it listens, once it has started."""
        return self._server.port

    async def _link(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        if not self._may_open(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        if sum(each == audience for each in self._links.values()) >= MOST_LINKS:
            raise web.HTTPServiceUnavailable(text="This page is open too often: close some.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=self._longest, compress=False)
        await link.prepare(request)
        linked(request)
        self._links[link] = audience
        try:
            await self._talks.talk(link, audience, self._spoken(request))
        finally:
            del self._links[link]
        return link

    def _audience(self, request: web.Request) -> Audience:
        audience = self._whose(request.match_info["token"])
        if audience is None:
            raise web.HTTPNotFound(text=translate(NO_PAGE, self._spoken(request)) + "\n")
        return audience

    def _spoken(self, request: web.Request) -> str:
        """The language of a page, and of the link that it opens."""
        return chosen(request.query.get("lang"), self._language, request.headers.get("Accept-Language", ""))


class Site(Links):
    """Serves a page for each audience, with its link."""

    def __init__(
        self,
        audiences: Iterable[Audience],
        content: Content,
        host: str,
        port: int,
        *,
        language: str | None = None,
        longest: int = MAX_MESSAGE,
        limits: Limits | None = None,
    ) -> None:
        """As for links."""
        routes = (web.get("/{token}/", self._page), files("/shared/", STATIC))
        self._tokens, self._content = Tokens(audiences), content
        super().__init__(
            self._tokens.audience,
            content,
            host,
            port,
            language=language,
            routes=routes,
            longest=longest,
            limits=limits,
        )

    def address(self, audience: Audience) -> str:
        """Where an audience's page is."""
        return url(self._host, self.port, f"{self._tokens.of(audience)}/")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        return web.Response(text=self._content.page(audience, self._spoken(request)), content_type="text/html")


class OnePage:
    """A site of one page, for whoever runs the program: what every content of such a site has."""

    _site: Site

    async def start(self) -> None:
        """Raises OSError if the port is taken. Port 0 takes a free one."""
        await self._site.start()

    async def close(self) -> None:
        await self._site.close()

    def address(self) -> str:
        """Where the page is."""
        return self._site.address(Audience(None))
