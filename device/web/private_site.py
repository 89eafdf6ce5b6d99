"""Links with private pages, each behind a token: WebSockets; and a web site of one such page."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import msgspec
from aiohttp import web

from device.locale import translate
from device.web import host_names
from device.web.connection_limits import Limits
from device.web.page_language import chosen
from device.web.server import CLOSING_S, Server, files, linked
from device.web.serving import url
from device.web.words import NO_PAGE

STATIC = Path(__file__).parent / "static"
"""What all pages of a site load: served under /shared/."""

NEWS_S = 1 / 25
MAX_MESSAGE = 2048
MOST_LINKS = 12
"""So often one page may be open at the same time."""

Seat: TypeAlias = str
"""A seat at the table: "a", "b", "c" or "d"."""


class Audience(msgspec.Struct, frozen=True):
    """Whose page it is. `seat` None: of whoever runs the program, and may see everything."""

    seat: Seat | None


RUNNER = Audience(None)


def same_origin(request: web.Request) -> bool:
    """A browser names the page that opens a socket: it must be one of ours."""
    return host_names.same_origin(request.headers.get("Origin"), request.host)


def fresh_token() -> str:
    """A secret for the address of a page; none is ever stored."""
    return secrets.token_urlsafe(18)


def same_token(one: str, other: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


class Links(ABC):
    """A WebSocket for each audience, behind its token."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        language: str | None = None,
        routes: Iterable[web.AbstractRouteDef] = (),
        longest: int = MAX_MESSAGE,
        limits: Limits | None = None,
    ) -> None:
        """host, port: where to listen; port 0 takes a free one.
        language: of pages on which none is chosen; None: as the browser asks.
        routes: what else is served; it is open to everybody who reaches it.
        longest: bytes of what a page says at once; limits: of the door.
        """
        self._host, self._language, self._longest = host, language, longest
        self._server = Server((web.get("/{token}/link", self._link), *routes), host, port, limits)
        self._links: dict[web.WebSocketResponse, Audience] = {}

    @abstractmethod
    def whose(self, token: str) -> Audience | None:
        """Return whose page a token opens; None: nobody's."""

    @abstractmethod
    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """Speaks with an opened page until it goes."""

    def may_open(self, request: web.Request) -> bool:
        """Return True if the page that a request comes from may open a link."""
        return same_origin(request)

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
        """Return the port, once the server has started."""
        return self._server.port

    async def _link(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        if not self.may_open(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        if sum(each == audience for each in self._links.values()) >= MOST_LINKS:
            raise web.HTTPServiceUnavailable(text="This page is open too often: close some.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=self._longest, compress=False)
        await link.prepare(request)
        linked(request)
        self._links[link] = audience
        try:
            await self.talk(link, audience, self._spoken(request))
        finally:
            del self._links[link]
        return link

    def _audience(self, request: web.Request) -> Audience:
        audience = self.whose(request.match_info["token"])
        if audience is None:
            raise web.HTTPNotFound(text=translate(NO_PAGE, self._spoken(request)) + "\n")
        return audience

    def _spoken(self, request: web.Request) -> str:
        """The language of a page, and of the link that it opens."""
        return chosen(request.query.get("lang"), self._language, request.headers.get("Accept-Language", ""))


class OnePage(Links):
    """A site of one page, for whoever runs the program."""

    def __init__(
        self,
        html: Callable[[str], str],
        host: str,
        port: int,
        *,
        language: str | None = None,
        routes: Iterable[web.AbstractRouteDef] = (),
        longest: int = MAX_MESSAGE,
        limits: Limits | None = None,
    ) -> None:
        """html: the page in a language. The rest: as for links."""
        own = (web.get("/{token}/", self._page), files("/shared/", STATIC))
        super().__init__(host, port, language=language, routes=(*own, *routes), longest=longest, limits=limits)
        self._html, self._token = html, fresh_token()

    def whose(self, token: str) -> Audience | None:
        return RUNNER if same_token(token, self._token) else None

    def address(self) -> str:
        """Return the address of the page."""
        return url(self._host, self.port, f"{self._token}/")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        self._audience(request)
        return web.Response(text=self._html(self._spoken(request)), content_type="text/html")
