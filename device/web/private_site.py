"""Opens WebSockets behind secret tokens, and serves single-page sites."""

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
from device.web.html_templates import choose_language
from device.web.server import CLOSING_S, Server, files, mark_as_link
from device.web.serving import url
from device.web.words import NO_PAGE

STATIC = Path(__file__).parent / "static"
"""Files of all pages, under /shared/."""

NEWS_S = 1 / 25
MAX_MESSAGE = 2048
MOST_LINKS = 12
"""Links per audience."""

Seat: TypeAlias = str
"""A seat: "a", "b", "c" or "d"."""


class Audience(msgspec.Struct, frozen=True):
    """A page's audience. seat: None for the program's user, who may see all."""

    seat: Seat | None


RUNNER = Audience(None)


def same_origin(request: web.Request) -> bool:
    """Return True if the request comes from our page, or names no origin."""
    return host_names.same_origin(request.headers.get("Origin"), request.host)


def fresh_token() -> str:
    """Return a secret for a page's address, never stored."""
    return secrets.token_urlsafe(18)


def same_token(one: str, other: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


class Links(ABC):
    """The WebSockets of each audience, behind its token."""

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
        """port: 0 for a free one. language: default; None for the browser's. routes: further public ones. longest:
        bytes of a message."""
        self._host, self._language, self._longest = host, language, longest
        self._server = Server((web.get("/{token}/link", self._link), *routes), host, port, limits)
        self._links: dict[web.WebSocketResponse, Audience] = {}

    @abstractmethod
    def whose(self, token: str) -> Audience | None:
        """Return a token's audience; None if invalid."""

    @abstractmethod
    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """Serve an open page until it closes."""

    def may_open(self, request: web.Request) -> bool:
        return same_origin(request)

    async def start(self) -> None:
        """Start. Raises PageError."""
        await self._server.start()

    async def close(self) -> None:
        """Close all pages, in at most CLOSING_S."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await asyncio.gather(*(link.close() for link in self._links), return_exceptions=True)
        await self._server.close()

    @property
    def port(self) -> int:
        """The port, once started."""
        return self._server.port

    async def _link(self, request: web.Request) -> web.StreamResponse:
        audience = self._audience(request)
        if not self.may_open(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        if sum(each == audience for each in self._links.values()) >= MOST_LINKS:
            raise web.HTTPServiceUnavailable(text="This page is open too often: close some.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=self._longest, compress=False)
        await link.prepare(request)
        mark_as_link(request)
        self._links[link] = audience
        try:
            await self.talk(link, audience, self._language_of(request))
        finally:
            del self._links[link]
        return link

    def _audience(self, request: web.Request) -> Audience:
        audience = self.whose(request.match_info["token"])
        if audience is None:
            raise web.HTTPNotFound(text=translate(NO_PAGE, self._language_of(request)) + "\n")
        return audience

    def _language_of(self, request: web.Request) -> str:
        return choose_language(request.query.get("lang"), self._language, request.headers.get("Accept-Language", ""))


class OnePage(Links):
    """A single-page site for the program's user."""

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
        """html: returns the page in a language. Others: see `Links`."""
        own = (web.get("/{token}/", self._page), files("/shared/", STATIC))
        super().__init__(host, port, language=language, routes=(*own, *routes), longest=longest, limits=limits)
        self._html, self._token = html, fresh_token()

    def whose(self, token: str) -> Audience | None:
        return RUNNER if same_token(token, self._token) else None

    def address(self) -> str:
        return url(self._host, self.port, f"{self._token}/")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        self._audience(request)
        return web.Response(text=self._html(self._language_of(request)), content_type="text/html")
