"""The panel of a running simulation: an operator's page and one for each seat."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import msgspec
from aiohttp import WSMsgType, web

from device.locale import LANGUAGES
from device.sim.panel.faces import Faces
from device.sim.panel.feed import Feed
from device.sim.panel.hand import Aliases, Forbidden, Hand
from device.sim.panel.messages import decoder
from device.sim.panel.stage import Stage
from device.sim.panel.words import WORDS
from device.sim.table.virtual import Refused
from device.web.pages import page
from device.web.site import NEWS_S, Site
from device.web.tokens import Audience, Seat
from engine.text import say

PORT = 8137
STATIC = Path(__file__).parent / "static"
_log = logging.getLogger(__name__)


class Panel:
    """Serves the pages. Only this machine reaches them, unless `host` says otherwise."""

    def __init__(self, stage: Stage, host: str = "127.0.0.1", port: int = PORT, language: str | None = None) -> None:
        """language: of the pages, and of what stands on cards; None: each browser's own, and English cards."""
        self._stage = stage
        self._aliases, self._cards = Aliases(), Aliases()
        self._audiences = (Audience(None), *(Audience(seat) for seat in stage.seats))
        faces = Faces(language or LANGUAGES[0])
        routes = (web.get("/static/faces/{set}/{kind}.svg", faces.answer), web.static("/static/", STATIC))
        self._site = Site(self._audiences, self, host, port, language=language, routes=routes)
        self.dropped = 0
        """Messages that did not decode, or asked for what was not theirs."""

    async def start(self) -> None:
        """Raises OSError if the port is taken. Port 0 takes a free one."""
        await self._site.start()

    async def close(self) -> None:
        await self._site.close()

    def addresses(self) -> dict[Seat | None, str]:
        """The address of the operator's page (None) and of each seat's."""
        return {each.seat: self._site.address(each) for each in self._audiences}

    def page(self, audience: Audience, language: str) -> str:
        """The HTML of the operator's page, or of a seat's."""
        return html(audience, language)

    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """Tells a page what its audience may see, and does what it may ask for, until it goes."""
        hand = Hand(self._stage, audience, self._aliases, self._cards)
        news = asyncio.create_task(self._tell(link, audience, language))
        try:
            await self._listen(link, hand)
        finally:
            news.cancel()
            hand.leave()

    async def _listen(self, link: web.WebSocketResponse, hand: Hand) -> None:
        async for received in link:
            if received.type is not WSMsgType.TEXT:
                self._drop("not text")
                continue
            try:
                peeked = hand.obey(decoder.decode(received.data))
            except (msgspec.MsgspecError, KeyError, Forbidden, Refused) as error:
                self._drop(f"{type(error).__name__}: {error}")
                continue
            if peeked is not None:
                answer = {"is": "peeked", "piece": peeked[0], "kind": peeked[1]}
                await link.send_str(msgspec.json.encode(answer).decode())

    async def _tell(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """A slow page gets fewer frames, never old ones: nothing is asked for before the last was sent."""
        feed = Feed(self._stage, audience, self._aliases, self._cards, language)
        try:
            while not link.closed:
                for message in feed.news():
                    await (link.send_bytes(message) if isinstance(message, bytes) else link.send_str(message))
                await asyncio.sleep(NEWS_S)
        except ConnectionError:
            _log.info("a page has gone")

    def _drop(self, why: str) -> None:
        """Counted; the first is logged."""
        self.dropped += 1
        if self.dropped == 1:
            _log.warning("a page sent what cannot be used (%s); further ones are only counted", why)


def html(audience: Audience, language: str) -> str:
    """An audience's page in a language."""
    if audience.seat is None:
        return page(STATIC / "operator.html", language, WORDS)
    own = {"own-seat": say("Seat {seat}", seat=audience.seat.upper())}
    return page(STATIC / "seat.html", language, {**WORDS, **own})
