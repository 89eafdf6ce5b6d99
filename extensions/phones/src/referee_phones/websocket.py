"""One page's WebSocket: text both ways and pictures in, within limits."""

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

from device.web.token_bucket import Allowance
from referee_phones.frames import HELD_S, FromWorker
from referee_phones.page_messages import LONGEST

QUIET_S = 50.0
"""Seconds without a sign of life after which a page is gone."""

UNSENT_BYTES = 1 << 20
"""A page that has so much unread is closed; it must come back for everything."""

RATE, BURST = 20.0, 60.0
"""Frames of one page each second, and at once; empty ones count too."""

PICTURE_RATE, PICTURE_BURST = 200.0, 400.0
"""The same of a page that sends pictures: browsers split each into several frames; its bytes are limited elsewhere."""

RESTART, TRY_LATER, UNFIT, TOO_MUCH = 1012, 1013, 1008, 1009
"""Close codes (RFC 6455, 7.4.1, and IANA's registry)."""


class Hears(Protocol):
    """Receives what pages do."""

    def handle_message(self, number: int, text: str) -> None:
        """Handle a page's message. Raises ValueError if no page of ours sends it."""
        ...

    def handle_picture(self, number: int, jpeg: bytes | None) -> None:
        """Handle a page's picture; None if too large."""
        ...

    def handle_close(self, number: int) -> None: ...


def pad_json(text: str, size: int) -> str:
    """Return JSON text padded with blanks to a multiple of `size` bytes."""
    return text + " " * (-len(text.encode()) % size)


class PageSocket:
    """A page's link.

    number: in frames
    language: the page's
    size: messages are padded to a multiple of it (bytes)
    longest: bytes of a picture; 0 for none
    opened: known to the daemon
    admitted: let in by the daemon
    waiting: frames not yet sent to the daemon
    rank: lower the more its address has said lately; the lowest is closed first for room
    """

    def __init__(
        self,
        number: int,
        address: str,
        hears: Hears,
        transport: asyncio.Transport,
        now: float,
        size: int = 1,
        longest: int = 0,
    ) -> None:
        self.number, self.address, self._size, self._longest = number, address, size, longest
        self._hears, self._transport = hears, transport
        self._speaks = WSConnection(ConnectionType.SERVER)
        self._begun, self._length = list[str](), 0
        self._picture = bytearray()
        self._loop, self._held = asyncio.get_running_loop(), deque[tuple[float, str, bool]]()
        self.language = ""
        self.opened = self.admitted = False
        self.waiting: list[FromWorker] = []
        self.rank = 0.0
        self._heard = now
        self._frames = Allowance(PICTURE_RATE, PICTURE_BURST) if longest else Allowance(RATE, BURST)

    def accept(self, headers: list[tuple[bytes, bytes]], target: str) -> None:
        """Accept the request. Raises RemoteProtocolError if not for a WebSocket, or ValueError for a header that is
        not ASCII."""
        self._speaks.initiate_upgrade_connection(headers, target)
        if not any(isinstance(event, Request) for event in self._speaks.events()):
            raise RemoteProtocolError("no request for a WebSocket")
        self._send(AcceptConnection())

    def feed(self, data: bytes, now: float) -> None:
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
        """Send JSON text; drop the connection instead if more than UNSENT_BYTES are unsent."""
        if self._transport.get_write_buffer_size() > UNSENT_BYTES:
            self._transport.abort()
        else:
            self._send(TextMessage(pad_json(text, self._size)))

    def hold(self, text: str, at: float, *, ends: bool) -> None:
        """Send JSON text HELD_S after `at` (loop's clock; 0: without delay), in order. "" sends nothing. ends: close
        the page then."""
        now = self._loop.time()
        due = min(max(at, now - HELD_S), now) + HELD_S if at else now
        self._held.append((max(due, self._held[-1][0] if self._held else due), text, ends))
        if len(self._held) == 1:
            self._release()

    def _release(self) -> None:
        """Send what is due, and plan the rest."""
        while self._held and self._held[0][0] <= self._loop.time():
            _, text, ends = self._held.popleft()
            if text:
                self.say(text)
            if ends:
                self.close()
        if self._held:
            self._loop.call_at(self._held[0][0], self._release)

    def close(self, code: int = 1000) -> None:
        self._send(CloseConnection(code=code))
        self.end()

    def tend(self, now: float) -> None:
        """Ping the page, or end it after QUIET_S of silence."""
        if now > self._heard + QUIET_S:
            self._transport.abort()
        else:
            self._send(Ping())

    def end(self) -> None:
        """End the connection after what was written."""
        self._transport.close()

    def handle_loss(self) -> None:
        self._hears.handle_close(self.number)

    def _on(self, event: Event) -> None:
        match event:
            case TextMessage():
                self._take(event)
            case BytesMessage() if self._longest:
                self._take_picture(event)
            case BytesMessage():
                self.close(UNFIT)
            case Ping() | CloseConnection():
                self._send(event.response())
                if isinstance(event, CloseConnection):
                    self.end()
            case Pong():
                pass

    def _take(self, event: TextMessage) -> None:
        """Add a message's part, and handle the whole; close the page beyond LONGEST."""
        self._begun.append(event.data)
        self._length += len(event.data)
        if self._length > LONGEST:
            self.close(TOO_MUCH)
        elif event.message_finished:
            text = "".join(self._begun)
            self._begun, self._length = [], 0
            self._hears.handle_message(self.number, text)

    def _take_picture(self, event: BytesMessage) -> None:
        """Add a picture's part, keeping little of one too large; handle the whole."""
        self._picture += event.data[: self._longest + 1 - len(self._picture)]
        if event.message_finished:
            jpeg = bytes(self._picture)
            self._picture.clear()
            self._hears.handle_picture(self.number, jpeg if len(jpeg) <= self._longest else None)

    def _send(self, event: Event) -> None:
        if self._transport.is_closing():
            return
        try:
            self._transport.write(self._speaks.send(event))
        except LocalProtocolError:
            self._transport.close()
