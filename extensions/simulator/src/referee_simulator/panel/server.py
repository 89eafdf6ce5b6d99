"""The simulator's socket for the drawer and the cards on seats' pages, unknown to gateway workers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec
from aiohttp import WSMsgType, web

from device.locale import translate
from device.web.private_site import NEWS_S, RUNNER, Audience, Links, Seat, fresh_token, same_token
from engine.text import Text
from referee_phones.daemon.handshake import KeyProof
from referee_simulator.panel.feed import Feed, Held
from referee_simulator.panel.messages import Bring, Flip, Message, Peek, Prove, Take, decoder
from referee_simulator.panel.page_actions import Forbidden, Hand
from referee_simulator.panel.requests import Requests
from referee_simulator.panel.stage import Stage
from referee_simulator.table.virtual import GONE, Refused

PORT = 8137
PROVING_S = 10.0

_log = logging.getLogger(__name__)


class Bench(Links):
    """Serves the drawer and seats' cards, only locally unless `host` allows others."""

    def __init__(
        self,
        stage: Stage,
        host: str = "127.0.0.1",
        port: int = PORT,
        *,
        sits: Callable[[Seat, KeyProof], bool] = lambda _seat, _proof: False,
        worked: Callable[[], None] = lambda: None,
    ) -> None:
        """sits: checks the proof of a seat's key. worked: called on each request."""
        super().__init__(host, port)
        self._stage, self._sits = stage, sits
        self._requests = Requests(stage, worked)
        self._carrying_out: asyncio.Task[None] | None = None
        self.token = fresh_token()
        """Opens the drawer's link; a seat's page gives its letter, and proves its key."""
        self.dropped = 0
        """Messages that were undecodable or not allowed."""

    async def start(self) -> None:
        await super().start()
        self._carrying_out = asyncio.create_task(self._requests.run())

    async def close(self) -> None:
        await super().close()
        if self._carrying_out is not None:
            self._carrying_out.cancel()

    def whose(self, token: str) -> Audience | None:
        if token in self._stage.seats:
            return Audience(token)
        return RUNNER if same_token(token, self.token) else None

    def may_open(self, request: web.Request) -> bool:
        """Return True for pages of this host, on any port, or without an origin."""
        origin = request.headers.get("Origin")
        try:
            return origin is None or urlsplit(origin).hostname == urlsplit(f"//{request.host}").hostname
        except ValueError:  # brackets around what is no address
            return False

    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        proof = None if audience.seat is None else await self._prove(link)
        if audience.seat is not None and not self._may_know(audience.seat, proof):
            return
        hand = Hand(self._stage, audience)
        news = asyncio.create_task(self._tell(link, audience, proof, language))
        try:
            await self._listen(link, hand, language)
        finally:
            news.cancel()
            with self._stage.mending():
                hand.leave()

    def _may_know(self, seat: Seat, proof: KeyProof | None) -> bool:
        """Return True while this page holds the seat."""
        return proof is not None and self._sits(seat, proof)

    async def _prove(self, link: web.WebSocketResponse) -> KeyProof | None:
        text = fresh_token()
        await link.send_json({"is": "challenge", "text": text})
        try:
            said = msgspec.json.decode(await link.receive_str(timeout=PROVING_S), type=Prove)
        except (TypeError, TimeoutError, msgspec.MsgspecError) as error:
            self._drop(f"{type(error).__name__}: {error}")
            return None
        return KeyProof(text, said.proof)

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

    async def _answer(self, hand: Hand, message: Message, language: str) -> dict[str, str | int | None] | None:
        try:
            peeked = await self._requests.ask(hand, message)
        except KeyError as error:
            self._drop(f"KeyError: {error}")
            return _refusal(message, GONE, language)
        except Refused as refused:
            return _refusal(message, refused.text, language)
        return None if peeked is None else {"is": "peeked", "piece": peeked[0], "kind": peeked[1]}

    async def _tell(
        self, link: web.WebSocketResponse, audience: Audience, proof: KeyProof | None, language: str
    ) -> None:
        """Send updates, a seat's while the page holds it; a slow page gets fewer frames, never old ones."""
        seat = audience.seat
        feed = Feed(self._stage, language) if seat is None else Held(self._stage, seat, language)
        try:
            while not link.closed:
                if seat is not None and not self._may_know(seat, proof):
                    await link.close()
                    return
                news: tuple[str | bytes, ...] = ()
                with self._stage.mending():
                    news = tuple(feed.news())
                for message in news:
                    await (link.send_bytes(message) if isinstance(message, bytes) else link.send_str(message))
                await asyncio.sleep(NEWS_S)
        except ConnectionError:
            _log.info("a page has gone")

    def _drop(self, why: str) -> None:
        self.dropped += 1
        if self.dropped == 1:
            _log.warning("a page sent what cannot be used (%s); further ones are only counted", why)


def _refusal(message: Message, why: Text, language: str) -> dict[str, str | int | None]:
    piece = message.piece if isinstance(message, Take | Peek | Flip) else None
    card = message.card if isinstance(message, Bring) else None
    return {"is": "refused", "piece": piece, "card": card, "text": translate(why, language)}
