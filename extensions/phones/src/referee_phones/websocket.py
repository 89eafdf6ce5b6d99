"""One page's WebSocket: text in both directions, within limits."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Message,
    Ping,
    Pong,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from device.bus.page_frames import HELD_S, FromWorker
from device.token_bucket import Allowance
from referee_phones.page_messages import LONGEST

QUIET_S = 50.0
"""A page that has said nothing for so long, not even that it is there, has gone."""

UNSENT_BYTES = 1 << 20
"""A page that has left so much unread has gone: nothing of it can be left out, so it must come back for all."""

RATE, BURST = 20.0, 60.0
"""Frames of one page each second, and at once. An empty one costs as much: a message may consist of many."""

RESTART, TRY_LATER, UNFIT, TOO_MUCH = 1012, 1013, 1008, 1009
"""Why a WebSocket is closed (RFC 6455, 7.4.1, and IANA's registry)."""


class Hears(Protocol):
    """Whoever is told what pages do."""

    def said(self, number: int, text: str) -> None:
        """A page said that. Raises ValueError if no page of ours says such a thing."""
        ...

    def gone(self, number: int) -> None:
        """A page is there no more."""
        ...


def padded(text: str, size: int) -> str:
    """Return JSON text with as many blanks behind it as make its bytes a multiple of a size."""
    return text + " " * (-len(text.encode()) % size)


class PageSocket:
    """number: of the link, as frames name it. address: of the guest. language: that it asks for. size: bytes; each
    message to the page is padded to a multiple of it.

    opened: the daemon knows of it. admitted: the daemon has let it in. waiting: frames of it that the daemon has not
    got yet; rank: the more its address has said lately, the lower.
    """

    def __init__(
        self, number: int, address: str, hears: Hears, transport: asyncio.Transport, now: float, size: int = 1
    ) -> None:
        self.number, self.address, self._size = number, address, size
        self._hears, self._transport = hears, transport
        self._speaks = WSConnection(ConnectionType.SERVER)
        self._begun, self._length = list[str](), 0
        self._loop, self._held = asyncio.get_running_loop(), deque[tuple[float, str, bool]]()
        self.language = ""
        self.opened = self.admitted = False
        self.waiting: list[FromWorker] = []
        self.rank = 0.0
        self._heard = now
        self._frames = Allowance(RATE, BURST)

    def accept(self, headers: list[tuple[bytes, bytes]], target: str) -> None:
        """Answers the request that wants it. Raises RemoteProtocolError if it is no WebSocket's."""
        self._speaks.initiate_upgrade_connection(headers, target)
        if not any(isinstance(event, Request) for event in self._speaks.events()):
            raise RemoteProtocolError("no request for a WebSocket")
        self._send(AcceptConnection())

    def feed(self, data: bytes, now: float) -> None:
        """Bytes from the page."""
        self._heard = now
        try:
            self._speaks.receive_data(data)
            for event in self._speaks.events():
                if self._transport.is_closing():
                    return
                whole = not isinstance(event, Message) or event.frame_finished  # one may come in many pieces
                if whole and self._frames.spend(1.0, now):
                    self.close(UNFIT)
                else:
                    self._on(event)
        except RemoteProtocolError as error:
            self._send(error.event_hint or CloseConnection(code=1002))
            self.end()
        except ValueError:
            self.close(UNFIT)

    def say(self, text: str) -> None:
        """JSON text for the page. Never waits."""
        if self._transport.get_write_buffer_size() > UNSENT_BYTES:
            self._transport.abort()
        else:
            self._send(TextMessage(padded(text, self._size)))

    def hold(self, text: str, at: float, *, ends: bool) -> None:
        """JSON text that is said HELD_S after a moment of the loop's clock, but not later than in HELD_S, and in the
        order in which it came. ends: then the page is closed."""
        now = self._loop.time()
        due = min(max(at, now - HELD_S), now) + HELD_S if at else now
        self._held.append((max(due, self._held[-1][0] if self._held else due), text, ends))
        if len(self._held) == 1:
            self._release()

    def _release(self) -> None:
        """Says what is due by now."""
        while self._held and self._held[0][0] <= self._loop.time():
            _, text, ends = self._held.popleft()
            if text:
                self.say(text)
            if ends:
                self.close()
        if self._held:
            self._loop.call_at(self._held[0][0], self._release)

    def close(self, code: int = 1000) -> None:
        """Close the connection, and tell the page why."""
        self._send(CloseConnection(code=code))
        self.end()

    def tend(self, now: float) -> None:
        """Ask the page now and then if it is still there."""
        if now > self._heard + QUIET_S:
            self._transport.abort()
        else:
            self._send(Ping())

    def end(self) -> None:
        """End the connection; what was written still goes out."""
        self._transport.close()

    def lost(self) -> None:
        """The connection has ended."""
        self._hears.gone(self.number)

    def _on(self, event: Event) -> None:
        match event:
            case TextMessage():
                self._take(event)
            case BytesMessage():
                self.close(UNFIT)
            case Ping() | CloseConnection():
                self._send(event.response())
                if isinstance(event, CloseConnection):
                    self.end()
            case Pong():
                pass

    def _take(self, event: TextMessage) -> None:
        """A part of a message, often all of it."""
        self._begun.append(event.data)
        self._length += len(event.data)
        if self._length > LONGEST:
            self.close(TOO_MUCH)
        elif event.message_finished:
            text = "".join(self._begun)
            self._begun, self._length = [], 0
            self._hears.said(self.number, text)

    def _send(self, event: Event) -> None:
        """Send an event, unless the page has just gone."""
        if self._transport.is_closing():
            return
        try:
            self._transport.write(self._speaks.send(event))
        except LocalProtocolError:
            self._transport.close()
