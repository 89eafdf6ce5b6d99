"""Serves all pages within limits, with headers that forbid storing, framing and foreign content."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from aiohttp import web
from aiohttp.http import HttpProcessingError

from device.web.connection_limits import ConnectionLimiter, Doing, Guest, Limits
from device.web.serving import BACKLOG, translated_errors

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Add missing headers to answers and refusals."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(HEADERS)
        raise
    if not response.prepared:
        response.headers.update({**HEADERS, **response.headers})
    return response


LONGEST_PATH = 200
"""Longest path in characters."""

CLOSING_S = 1.0
SERVED = frozenset({".css", ".js", ".svg"})
LOG_LINES, LOG_S = 10, 60.0


class Server:
    """Serves routes; refuses requests with a body."""

    def __init__(
        self,
        routes: Iterable[web.AbstractRouteDef],
        host: str,
        port: int,
        limits: Limits | None = None,
    ) -> None:
        """port: 0 for a free one."""
        self._app = web.Application(middlewares=[guard, self._admit])
        self._app.add_routes(_unexpecting(route) for route in (*routes, web.route("*", "/{tail:.*}", _nowhere)))
        self._host, self._port, self._limits = host, port, limits or Limits()
        self._runner: web.AppRunner | None = None
        self._door: ConnectionLimiter | None = None
        self._listening: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """The port, once started."""
        return self._port

    async def start(self) -> None:
        """Start. Raises PageError."""
        self._runner = web.AppRunner(
            self._app,
            access_log=None,
            logger=_http_log(),
            shutdown_timeout=CLOSING_S,
            keepalive_timeout=self._limits.request_s,
            lingering_time=0.0,
            auto_decompress=False,
        )
        await self._runner.setup()
        assert self._runner.server is not None
        self._door = ConnectionLimiter(self._runner.server, self._limits)
        with translated_errors(self._host, self._port):
            loop = asyncio.get_running_loop()
            self._listening = await loop.create_server(self._door, self._host, self._port, backlog=BACKLOG)
        self._port = self._listening.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening and close all connections; requests under way have CLOSING_S."""
        if self._listening is not None:
            self._listening.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._door is not None:
            self._door.close()

    @web.middleware
    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        guest = _guest(request)
        if guest is None or self._door is None:
            raise web.HTTPServiceUnavailable
        if not self._door.take_request(guest.address):
            raise web.HTTPTooManyRequests(text="Too many requests: wait a moment.\n", headers={"Retry-After": "2"})
        _check(request)
        guest.does(Doing.ANSWERED)
        try:
            return await handler(request)
        finally:
            guest.does(Doing.ASKING)


def mark_as_link(request: web.Request) -> None:
    """Mark a request's connection as permanent."""
    guest = _guest(request)
    if guest is not None:
        guest.does(Doing.LINKED)


def files(prefix: str, folder: Path) -> web.AbstractRouteDef:
    """Return a route for a folder's static files, listed now so that requests never become file names."""
    known = {file.name: file for file in folder.iterdir() if file.suffix in SERVED}

    async def answer(request: web.Request) -> web.StreamResponse:
        file = known.get(request.match_info["name"])
        if file is None:
            raise web.HTTPNotFound
        return web.FileResponse(file)

    return web.get(f"{prefix}{{name}}", answer)


def _unexpecting(route: web.AbstractRouteDef) -> web.AbstractRouteDef:
    assert isinstance(route, web.RouteDef)
    return web.RouteDef(
        route.method, route.path, route.handler, {**route.kwargs, "expect_handler": _refuse_expectation}
    )


async def _nowhere(request: web.Request) -> web.StreamResponse:
    if request.method not in ("GET", "HEAD"):
        raise web.HTTPMethodNotAllowed(request.method, ("GET", "HEAD"))
    raise web.HTTPNotFound


async def _refuse_expectation(_request: web.Request) -> None:
    raise web.HTTPExpectationFailed(text="A page is asked for without conditions.\n")


def _check(request: web.Request) -> None:
    if len(request.raw_path.partition("?")[0]) > LONGEST_PATH:
        raise web.HTTPRequestURITooLong(text="There is no page with so long an address.\n")
    try:
        "".join(request.headers.values()).encode()
    except UnicodeEncodeError as error:  # aiohttp would quote them, and fail
        raise web.HTTPBadRequest(text="A header is no text in UTF-8.\n") from error
    if "Host" not in request.headers:
        raise web.HTTPBadRequest(text="The request does not say which host it is for.\n")
    if request.can_read_body:
        refused = web.HTTPRequestEntityTooLarge(0, 0, text="A page is asked for without a body.\n")
        refused.force_close()
        raise refused


def _guest(request: web.Request) -> Guest | None:
    protocol = request.transport.get_protocol() if request.transport is not None else None
    return protocol if isinstance(protocol, Guest) else None


class Seldom(logging.Filter):
    """Limits the log to LOG_LINES in LOG_S, without invalid requests."""

    def __init__(self) -> None:
        super().__init__()
        self._since, self._lines = 0.0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], HttpProcessingError):
            return False
        if time.monotonic() > self._since + LOG_S:
            self._since, self._lines = time.monotonic(), 0
        self._lines += 1
        return self._lines <= LOG_LINES


def _http_log() -> logging.Logger:
    log = logging.getLogger("device.web.http")
    if not log.filters:
        log.addFilter(Seldom())
    return log
