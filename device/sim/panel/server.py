"""The panel of a running simulation: an operator's page and one for each seat."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import msgspec
from aiohttp import WSMsgType, web

from device.locale import LANGUAGES, translate
from device.sim.panel.faces import Faces
from device.sim.panel.feed import Feed
from device.sim.panel.hand import Aliases, Forbidden, Hand
from device.sim.panel.messages import Bring, Flip, Message, Peek, Take, decoder
from device.sim.panel.requests import Requests
from device.sim.panel.stage import Stage
from device.sim.panel.words import WORDS
from device.sim.table.virtual import GONE, Refused
from device.web.pages import page
from device.web.server import files
from device.web.site import NEWS_S, Site
from device.web.tokens import Audience, Seat
from engine.text import Text, seat_of

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
        routes = (web.get(r"/static/faces/{set:[\w-]+}/{kind:[\w-]+}.svg", faces.answer), files("/static/", STATIC))
        self._requests = Requests(stage)
        self._carrying_out: asyncio.Task[None] | None = None
        self._site = Site(self._audiences, self, host, port, language=language, routes=routes)
        self.dropped = 0
        """Messages that did not decode, or asked for what was not theirs."""

    async def start(self) -> None:
        """Raises OSError if the port is taken. Port 0 takes a free one."""
        await self._site.start()
        self._carrying_out = asyncio.create_task(self._requests.run())

    async def close(self) -> None:
        await self._site.close()
        if self._carrying_out is not None:
            self._carrying_out.cancel()

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
            await self._listen(link, hand, language)
        finally:
            news.cancel()
            with self._stage.mending():
                hand.leave()

    async def _listen(self, link: web.WebSocketResponse, hand: Hand, language: str) -> None:
        async for received in link:
            if received.type is not WSMsgType.TEXT:
                self._drop("not text")
                continue
            try:
                answer = await self._answer(hand, decoder.decode(received.data), language)
            except (msgspec.MsgspecError, Forbidden) as error:
                self._drop(f"{type(error).__name__}: {error}")
                continue
            if answer is not None:
                await link.send_str(msgspec.json.encode(answer).decode())

    async def _answer(self, hand: Hand, message: Message, language: str) -> dict[str, str] | None:
        """What a page hears of its request: what it peeked at, or why it is refused; None if it sees what comes of it.

        Raises Forbidden.
        """
        try:
            peeked = await self._requests.ask(hand, message)
        except KeyError as error:
            self._drop(f"KeyError: {error}")
            return _refused(message, GONE, language)
        except Refused as refused:
            return _refused(message, refused.text, language)
        return None if peeked is None else {"is": "peeked", "piece": peeked[0], "kind": peeked[1]}

    async def _tell(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        """A slow page gets fewer frames, never old ones: nothing is asked for before the last was sent."""
        feed = Feed(self._stage, audience, self._aliases, self._cards, language)
        try:
            while not link.closed:
                news: tuple[str | bytes, ...] = ()
                with self._stage.mending():
                    news = tuple(feed.news())
                for message in news:
                    await (link.send_bytes(message) if isinstance(message, bytes) else link.send_str(message))
                await asyncio.sleep(NEWS_S)
        except ConnectionError:
            _log.info("a page has gone")

    def _drop(self, why: str) -> None:
        """Counted; the first is logged."""
        self.dropped += 1
        if self.dropped == 1:
            _log.warning("a page sent what cannot be used (%s); further ones are only counted", why)


def _refused(message: Message, why: Text, language: str) -> dict[str, str]:
    """Why a hand cannot do it, and with what: the page shows that piece, or card, where it is."""
    piece = message.piece if isinstance(message, Take | Peek | Flip) else ""
    card = message.card if isinstance(message, Bring) else ""
    return {"is": "refused", "piece": piece, "card": card, "text": translate(why, language)}


def html(audience: Audience, language: str) -> str:
    """An audience's page in a language."""
    if audience.seat is None:
        return page(STATIC / "operator.html", language, WORDS)
    own = {"own-seat": seat_of(audience.seat)}
    return page(STATIC / "seat.html", language, {**WORDS, **own})
