"""The web app behind a server of its own: the files as they are shipped, and a link that says what a test tells it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from referee_phones.app import Demo, files, own
from referee_phones.daemon import seats
from referee_phones.daemon.handshake import KeyPair, KeyProof
from referee_phones.daemon.seats import SENTENCES, RefusalReason, SeatedPhones
from referee_phones.frames import challenge

Wire = dict[str, Any]
CODE = "ABCDEFGH22345677"
EMPTY: Wire = {"serial": 1, "asks": None, "path": [], "lines": [], "back": False, "touch": None}


class Pages:
    """One audience's pages. It lets in whoever knows CODE, or the key that came of it; heard: what pages said."""

    def __init__(self, audience: str, sheet: Wire, language: str = "en", demo: Demo | None = None) -> None:
        self.audience, self.sheet = audience, sheet
        self.pair, self.guests = KeyPair(), SeatedPhones(codes={audience: CODE})
        self._links_made, self.mute = 0, False
        """mute: it lets pages in, and does not say so."""
        self.now = 0.0
        self._files = {**files(), **own(audience, language, demo)}
        self._links: set[web.WebSocketResponse] = set()
        self._open: set[web.WebSocketResponse] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self.heard: list[Wire] = []

    def __enter__(self) -> Pages:
        self._thread.start()
        assert self._ready.wait(20), "the pages' server does not start"
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive(), "the pages' server does not end"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}/"

    def show(self, **changed: Any) -> None:
        """A sheet of which some fields changed."""
        self.sheet = {**self.sheet, **changed}
        self.say({"sheet": changed, "number": 1, "at": self.now})

    def say(self, message: Wire) -> None:
        """To everybody who is in."""
        self._later(self._say(message))

    def drop(self, code: int = 1001) -> None:
        """Ends every link."""
        self._later(self._drop(code))

    def hears(self, wanted: Callable[[Wire], bool], seconds: float = 5.0) -> Wire:
        """The first message of a kind; it is awaited."""
        until = time.monotonic() + seconds
        while True:
            for message in tuple(self.heard):
                if wanted(message):
                    self.heard.remove(message)
                    return message
            assert time.monotonic() < until, f"the page does not say it, but {self.heard}"
            time.sleep(0.02)

    def tapped(self) -> Wire:
        tap: Wire = self.hears(lambda message: "tap" in message)["tap"]
        return tap

    def _later(self, course: Any) -> None:
        asyncio.run_coroutine_threadsafe(course, self._loop).result(5)

    async def _say(self, message: Wire) -> None:
        for link in tuple(self._links):
            await link.send_str(json.dumps(message))

    async def _drop(self, code: int) -> None:
        for link in tuple(self._open):
            await link.close(code=code)

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application()
        app.router.add_get("/link", self._link)
        app.router.add_get("/{path:.*}", self._file)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await self._drop(1001)
        await runner.cleanup()

    async def _file(self, request: web.Request) -> web.Response:
        found = self._files.get(request.path)
        if found is None:
            return web.Response(status=404, text="No such page.\n")
        policy = "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'"
        headers = {"Content-Type": found.kind, "Content-Security-Policy": policy, "Cache-Control": "no-store"}
        return web.Response(body=found.body, headers=headers)

    async def _link(self, request: web.Request) -> web.StreamResponse:
        link = web.WebSocketResponse()
        await link.prepare(request)
        self._open.add(link)
        self._links_made += 1
        asked = challenge(self.pair.public, self._links_made)
        await link.send_str(json.dumps({"challenge": asked}))
        if self.audience == "table":
            await self._enter(link)
        async for message in link:
            if message.type is not WSMsgType.TEXT:
                continue
            said: Wire = json.loads(message.data)
            self.heard.append(said)
            if "prove" in said:
                await self._let_in(link, asked, said)
        self._links.discard(link)
        self._open.discard(link)
        return link

    async def _let_in(self, link: web.WebSocketResponse, asked: str, said: Wire) -> None:
        proof, seat = KeyProof(asked, said["prove"]), self.audience
        if "join" in said:
            key, by_number = self.pair.agree_key(said["join"]), said.get("number", False)
            found = seats.join(self.guests, seat, key, proof, by_number=by_number)
        else:
            found = seats.back(self.guests, seat, proof) or self.guests
        if isinstance(found, RefusalReason):
            await link.send_str(json.dumps({"refused": str(SENTENCES[found]), "why": found}))
            return
        self.guests = found
        if self.mute:
            return
        await link.send_str(json.dumps({"joined": self.audience}))
        await self._enter(link)

    async def _enter(self, link: web.WebSocketResponse) -> None:
        self._links.add(link)
        await link.send_str(json.dumps({"sheet": self.sheet, "number": 1, "at": self.now}))
