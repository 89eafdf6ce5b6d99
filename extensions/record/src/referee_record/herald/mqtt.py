"""A write-only MQTT 5 client over TLS (OASIS MQTT 5.0).

A club's host talks to its own broker with paho-mqtt, which does not enforce the maximum packet size (3.1.2.11.4):
version 2.2.0 buffered all 200 MiB of one receipt. A herald may meet any broker and has 64 MiB
(referee-herald.service), so it leaves one that sends more than `LONGEST` or anything unasked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from engine.errors import RefereeError

T = TypeVar("T")

KEEP_ALIVE_S = 30
"""Seconds of silence after which the broker publishes the will (3.1.2.10)."""

PATIENCE_S = 20.0
"""Seconds that a broker may take for a receipt, or to read."""

LONGEST = 1024
"""Bytes of a packet from the broker (3.1.2.11.4)."""

CONNECT, CONNACK, PUBLISH, PUBACK, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 12, 13, 14
NO_READERS = 0x10
REFUSED = 0x80
"""Lowest reason code of a refusal (2.4)."""

REASONS = {
    0x82: "it found an error in the protocol",
    0x84: "it does not speak MQTT 5",
    0x85: "it does not take this table's name",
    0x86: "it does not take this table's certificate",
    0x87: "this table may not write there: see the broker's access list",
    0x88: "it is not available",
    0x89: "it is busy",
    0x8A: "this table is banned",
    0x8B: "it is shut down",
    0x8D: "it heard nothing for too long",
    0x8E: "somebody else came by this table's name: another table has the same certificate",
    0x90: "it does not take that topic",
    0x95: "it does not take messages so long",
    0x97: "this table has said more than it may",
}

_SERVER_KEEP_ALIVE, _MAXIMUM_PACKET_SIZE = 0x13, 0x27
_SIZES = {1: (0x24, 0x25, 0x28, 0x29, 0x2A), 2: (_SERVER_KEEP_ALIVE, 0x21, 0x22), 4: (0x11, _MAXIMUM_PACKET_SIZE)}
_FIXED = {name: size for size, names in _SIZES.items() for name in names}
_STRINGS = {0x12: 1, 0x15: 1, 0x16: 1, 0x1A: 1, 0x1C: 1, 0x1F: 1, 0x26: 2}
"""Properties of CONNACK (3.2.2.3): bytes of the numeric ones, and the strings."""


class BrokerError(RefereeError, ConnectionError):
    """The broker is absent or unusable; the message says why."""


class Closed(BrokerError):
    """The broker closed the connection without a reason."""


class Connection:
    """A connection from `connect_to_broker`, with one message in flight."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._keep_alive_s, self._longest = float(KEEP_ALIVE_S), 1 << 28
        self._receipt: asyncio.Future[int] | None = None
        self._number = 0

    async def begin(self, client: str, topic: str, will: bytes) -> None:
        """Send CONNECT and take the broker's limits from the answer. will: retained under `topic` when the
        connection is lost. Raises BrokerError."""
        flags = 0x02 | 0x04 | 0x08 | 0x20  # a clean start; a will, of QoS 1, retained
        properties = bytes((_MAXIMUM_PACKET_SIZE,)) + LONGEST.to_bytes(4, "big")
        head = _string(b"MQTT") + bytes((5, flags)) + KEEP_ALIVE_S.to_bytes(2, "big") + _with_length(properties)
        payload = _string(client.encode()) + _with_length(b"") + _string(topic.encode()) + _string(will)
        try:
            await self._send(_packet(CONNECT, 0, head + payload))
            kind, body = await self._within(self._packet())
        except Closed as error:
            raise BrokerError(f"{error} at once: perhaps it does not believe this table's certificate") from error
        if kind != CONNACK or len(body) < 2:
            raise BrokerError("the broker does not answer as one")
        if body[1] >= REFUSED:
            raise BrokerError(f"the broker refuses: {_reason(body[1])}")
        told = _properties(body[2:])
        self._keep_alive_s = float(min(told.get(_SERVER_KEEP_ALIVE, KEEP_ALIVE_S) or KEEP_ALIVE_S, KEEP_ALIVE_S))
        self._longest = told.get(_MAXIMUM_PACKET_SIZE, self._longest)

    async def publish(self, topic: str, payload: bytes, *, retain: bool) -> bool:
        """Publish and await the receipt; return False if nobody reads the topic (3.4.2.1). Raises BrokerError."""
        self._number = self._number % 0xFFFF + 1
        head = _string(topic.encode()) + self._number.to_bytes(2, "big") + _with_length(b"")
        packet = _packet(PUBLISH, 0x02 | retain, head + payload)
        if len(packet) > self._longest:
            raise BrokerError(f"the broker takes no more than {self._longest} bytes at once")
        self._receipt = asyncio.get_running_loop().create_future()
        await self._send(packet)
        reason = await self._within(self._receipt)
        if reason >= REFUSED:
            raise BrokerError(f"the broker refuses {topic}: {_reason(reason)}")
        return reason != NO_READERS

    async def run(self) -> None:
        """Read receipts and keep the connection alive. Never returns; raises BrokerError."""
        pinging = asyncio.ensure_future(self._ping())
        try:
            while True:
                try:
                    async with asyncio.timeout(2 * self._keep_alive_s):
                        self._handle_packet(*await self._packet())
                except TimeoutError as error:
                    raise BrokerError("the broker has fallen silent") from error
        finally:
            pinging.cancel()

    def close(self) -> None:
        """Drop the connection, so that the broker publishes the will."""
        self._writer.transport.abort()

    async def _ping(self) -> None:
        with suppress(BrokerError):  # whoever reads finds that, too
            while True:
                await asyncio.sleep(self._keep_alive_s / 2)
                await self._send(_packet(PINGREQ, 0, b""))

    def _handle_packet(self, kind: int, body: bytes) -> None:
        if kind == PINGRESP:
            return
        if kind == DISCONNECT:
            raise BrokerError(f"the broker ends the connection: {_reason(body[0] if body else 0)}")
        expected = self._receipt is not None and not self._receipt.done()
        if kind != PUBACK or not expected or body[:2] != self._number.to_bytes(2, "big"):
            raise BrokerError("the broker says what it was not asked")
        assert self._receipt is not None
        self._receipt.set_result(body[2] if len(body) > 2 else 0)

    async def _send(self, packet: bytes) -> None:
        self._writer.write(packet)
        await self._within(self._writer.drain())

    async def _packet(self) -> tuple[int, bytes]:
        """Read a packet's type and content. Raises BrokerError if longer than LONGEST or the connection ends."""
        try:
            first = (await self._reader.readexactly(1))[0]
            length = shift = 0
            while True:
                byte = (await self._reader.readexactly(1))[0]
                length |= (byte & 0x7F) << shift
                shift += 7
                if length > LONGEST or (byte & 0x80 and shift > 21):
                    raise BrokerError(f"the broker says more than {LONGEST} bytes at once")
                if not byte & 0x80:
                    return first >> 4, await self._reader.readexactly(length)
        except (OSError, EOFError) as error:
            raise _connection_error(error) from error

    async def _within(self, awaited: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await awaited
        except TimeoutError as error:
            raise BrokerError(f"the broker takes nothing, and says nothing, for {PATIENCE_S:.0f} s") from error
        except OSError as error:
            raise _connection_error(error) from error


async def connect_to_broker(host: str, port: int, context: ssl.SSLContext) -> Connection:
    """Open a connection. Raises BrokerError."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return Connection(*await asyncio.open_connection(host, port, ssl=context, limit=4 * LONGEST))
    except TimeoutError as error:
        raise BrokerError("the broker does not answer") from error
    except OSError as error:  # a certificate that is not believed is a ValueError, too
        raise _connection_error(error) from error
    except (OverflowError, ValueError) as error:  # what no socket takes, and no resolver
        raise BrokerError(f"there can be no broker at {host}:{port}: {error}") from error


def trusting(certificate: str, key: str, authority: str) -> ssl.SSLContext:
    """Return a TLS context with the herald's certificate, which trusts this authority only and checks the broker's
    name. Raises BrokerError for unusable files."""
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=authority)
        context.load_cert_chain(certificate, key)
    except OSError as error:
        raise BrokerError(f"{certificate}, {key} and {authority} cannot be used: {error}") from error
    return context


def _connection_error(error: Exception) -> BrokerError:
    """Return an error that says why the connection failed; Closed if the broker closed it."""
    match error:
        case BrokerError():
            return error
        case ssl.SSLCertVerificationError():
            return BrokerError(f"the broker's certificate is not believed: {error.verify_message}")
        case ssl.SSLError():
            why = (error.reason or str(error)).replace("_", " ").lower()
            return BrokerError(f"the broker does not believe this table's certificate, or speaks no TLS: {why}")
        case EOFError() | ConnectionResetError() | BrokenPipeError():
            return Closed("the broker closed the connection")
        case _:
            return BrokerError(f"the broker cannot be reached: {getattr(error, 'strerror', None) or error}")


def _reason(code: int) -> str:
    return REASONS.get(code, f"reason code {code:#04x}")


def _string(data: bytes) -> bytes:
    """Return a string after its length (1.5.4)."""
    return len(data).to_bytes(2, "big") + data


def _with_length(data: bytes) -> bytes:
    """Return bytes after their length as a variable byte integer (1.5.5)."""
    length, head = len(data), bytearray()
    while True:
        length, part = length >> 7, length & 0x7F
        head.append(part | (0x80 if length else 0))
        if not length:
            return bytes(head) + data


def _packet(kind: int, flags: int, content: bytes) -> bytes:
    return bytes((kind << 4 | flags,)) + _with_length(content)


def _properties(data: bytes) -> dict[int, int]:
    """Return the numeric properties of CONNACK. Raises BrokerError if malformed."""
    found: dict[int, int] = {}
    at = 2 if data and data[0] & 0x80 else 1  # past their length; nothing follows them
    try:
        while at < len(data):
            name, at = data[at], at + 1
            if name in _FIXED:
                found[name] = int.from_bytes(data[at : at + _FIXED[name]], "big")
                at += _FIXED[name]
            else:
                for _ in range(_STRINGS[name]):
                    at += 2 + int.from_bytes(data[at : at + 2], "big")
    except KeyError as error:
        raise BrokerError("the broker does not answer as one") from error
    return found
