"""Serves the club's pages, public in the network; organising needs the secret address."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec
from aiohttp import WSMsgType, web

from device.locale import translate
from device.web.connection_limits import Limits
from device.web.html_templates import choose_language
from device.web.private_site import MOST_LINKS, STATIC, same_origin
from device.web.server import CLOSING_S, Server, files, mark_as_link
from device.web.serving import url
from engine.text import Text, say
from referee_club import pages, results, standings, tournament_pages
from referee_club.archive import Archive, NoMatch, Spoiled
from referee_club.live_updates import Live, mark_parts
from referee_club.markup import Visit
from referee_club.organiser import LONGEST as LONGEST_ORDER
from referee_club.organiser import carried_out
from referee_club.pages import Parts
from referee_club.standings import LEAGUE, LEAGUE_S
from referee_club.tournaments import Tournaments

PORT = 8141
SITE = Path(__file__).parent / "site"
LIMITS = Limits(connections=256, of_one=64)
LONGEST = 200
"""Longest parameter of an address."""

NOT_HERE = say("The club has no such page.")
Asked = Mapping[str, str]


class Page(NamedTuple):
    """A page. asks: parameters. parts, title: make it; `parts` raises NoMatch or KeyError if missing. every_s: least
    seconds between renewals."""

    asks: tuple[str, ...]
    parts: Callable[[Archive, Visit, Asked], Parts]
    title: Callable[[Visit, Asked], str]
    every_s: float = 0.0


def _title(text: Text) -> Callable[[Visit, Asked], str]:
    return lambda visit, _: visit.says(text)


PAGES: Mapping[str, Page] = {
    "": Page((), lambda archive, visit, _: pages.hall(archive, visit), _title(pages.TITLES[""])),
    "table": Page(
        ("name",),
        lambda archive, visit, asked: pages.table(archive, visit, asked["name"]),
        lambda _, asked: asked["name"],
    ),
    "match": Page(
        ("id",), lambda archive, visit, asked: pages.match(archive, visit, asked["id"]), _title(say("A match")), 1.0
    ),
    "matches": Page(
        ("table", "game"),
        lambda archive, visit, asked: pages.matches(archive, visit, **asked),
        _title(pages.TITLES["matches"]),
        1.0,
    ),
    "players": Page(
        ("game",),
        lambda archive, visit, asked: pages.players(archive, visit, **asked),
        _title(pages.TITLES["players"]),
        LEAGUE_S,
    ),
    "player": Page(
        ("name",),
        lambda archive, visit, asked: pages.player(archive, visit, asked["name"]),
        lambda _, asked: asked["name"],
        LEAGUE_S,
    ),
    "tournaments": Page(
        (),
        lambda archive, visit, _: tournament_pages.tournament_list(archive, visit),
        _title(pages.TITLES["tournaments"]),
        1.0,
    ),
    "tournament": Page(
        ("id",),
        lambda archive, visit, asked: tournament_pages.tournament_parts(archive, visit, asked["id"]),
        _title(say("A tournament")),
        1.0,
    ),
    "overlay": Page(
        ("table",),
        lambda archive, visit, asked: pages.overlay_parts(archive, visit, asked["table"]),
        _title(say("Overlay")),
    ),
}
"""Pages by address."""


def organiser_address(host: str, port: int, key: str) -> str:
    return url(host, port, f"tournaments?{urlencode({'key': key})}")


class Hall:
    """Serves an archive's site. language: default; None for the browser's. more: further public routes."""

    def __init__(
        self,
        archive: Archive,
        host: str = "0.0.0.0",
        port: int = PORT,
        *,
        language: str | None = None,
        more: Iterable[web.AbstractRouteDef] = (),
    ) -> None:
        self._archive, self._host, self._language = archive, host, language
        self._live, self._key = Live(archive), Tournaments(archive).key()
        self._csv = (-1, 0.0, b"")
        self._links = set[web.WebSocketResponse]()
        routes = (
            *(web.get(f"/{name}", self._page) for name in PAGES),
            web.get("/live", self._tell),
            web.get("/organise", self._organise),
            web.get("/results.csv", self._results),
            web.get("/record", self._record),
            files("/shared/", STATIC),
            files("/club/", SITE),
            *more,
        )
        self._server = Server(routes, host, port, LIMITS)

    async def start(self) -> None:
        """Start. Raises PageError."""
        await self._server.start()

    async def close(self) -> None:
        self._live.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await asyncio.gather(*(link.close() for link in tuple(self._links)), return_exceptions=True)
        await self._server.close()

    def forget(self) -> None:
        """Drop all cached pages."""
        standings.forget(self._archive)
        self._csv = (-1, 0.0, b"")
        self._live.forget()

    def address(self) -> str:
        return url(self._host, self._server.port)

    def organiser(self) -> str:
        """Return the organiser's secret address."""
        return organiser_address(self._host, self._server.port, self._key)

    def _visit(self, request: web.Request) -> Visit:
        asked = request.query.get("lang")
        spoken = choose_language(asked, self._language, request.headers.get("Accept-Language", ""))
        token = self._key if self._is_organiser(request) else ""
        return Visit(spoken, asked is not None and spoken == asked.replace("-", "_"), token)

    def _is_organiser(self, request: web.Request) -> bool:
        return hmac.compare_digest(request.query.get("key", "").encode(errors="replace"), self._key.encode())

    async def _page(self, request: web.Request) -> web.StreamResponse:
        name, visit = request.path.strip("/"), self._visit(request)
        asked = _query_of(request, PAGES[name])
        parts = self._parts(name, visit, asked)
        title = PAGES[name].title(visit, asked)
        own = {"key": visit.token} if visit.token else {}
        live = f"/live?{urlencode({'page': name, **asked, **own, 'lang': visit.language})}"
        body = dict(zip(parts, mark_parts(parts), strict=True))
        if name == "overlay":
            return _html(pages.overlaid(visit, body, live))
        return _html(pages.frame(visit, title, body, page=name, live=live, **asked))

    def _parts(self, name: str, visit: Visit, asked: Asked) -> Parts:
        try:
            return self._live.parts(*self._make_page(name, visit, asked))
        except (NoMatch, KeyError) as error:
            raise web.HTTPNotFound(text=translate(NOT_HERE, visit.language) + "\n") from error

    def _make_page(self, name: str, visit: Visit, asked: Asked) -> tuple[object, Callable[[], Parts], float]:
        every_s = PAGES[name].every_s
        return (name, visit, tuple(asked.items())), lambda: PAGES[name].parts(self._archive, visit, asked), every_s

    async def _tell(self, request: web.Request) -> web.StreamResponse:
        name, visit = request.query.get("page", ""), self._visit(request)
        if name not in PAGES:
            raise web.HTTPNotFound
        asked = _query_of(request, PAGES[name])
        self._parts(name, visit, asked)
        return await self._live.tell(request, *self._make_page(name, visit, asked))

    async def _organise(self, request: web.Request) -> web.StreamResponse:
        visit = self._visit(request)
        if not visit.token:
            raise web.HTTPNotFound(text=translate(NOT_HERE, visit.language) + "\n")
        if not same_origin(request):
            raise web.HTTPForbidden(text="This address belongs to another page.\n")
        if len(self._links) >= MOST_LINKS:
            raise web.HTTPServiceUnavailable(text="This page is open too often: close some.\n")
        link = web.WebSocketResponse(heartbeat=20, max_msg_size=LONGEST_ORDER, compress=False)
        await link.prepare(request)
        mark_as_link(request)
        self._links.add(link)
        try:
            async for said in link:
                if said.type is not WSMsgType.TEXT:
                    break
                answer = await carried_out(self._archive, visit, said.data)
                self._live.forget()
                await link.send_str(msgspec.json.encode(answer).decode())
        finally:
            self._links.discard(link)
        return link

    async def _results(self, _: web.Request) -> web.StreamResponse:
        version, at, found = self._csv
        if not found or (version != self._archive.version and time.monotonic() - at >= LEAGUE_S):
            found = results.write_results(self._archive.list_matches(limit=LEAGUE))
            self._csv = self._archive.version, time.monotonic(), found
        return _download(found, "text/csv; charset=utf-8", "results.csv")

    async def _record(self, request: web.Request) -> web.StreamResponse:
        try:
            match = self._archive.match(request.query.get("id", ""))
            return _download(self._archive.record(match.match), "application/x-ndjson", f"{match.match[:8]}.signed")
        except NoMatch as error:
            raise web.HTTPNotFound from error
        except Spoiled as error:
            spoken = translate(error.text, self._visit(request).language)
            raise web.HTTPInternalServerError(text=f"{spoken}\n") from error


def _query_of(request: web.Request, page: Page) -> dict[str, str]:
    return {name: value[:LONGEST] for name in page.asks if (value := request.query.get(name))}


def _html(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="text/html", charset="utf-8")


def _download(body: bytes, kind: str, name: str) -> web.Response:
    return web.Response(
        body=body, headers={"Content-Type": kind, "Content-Disposition": f'attachment; filename="{name}"'}
    )
