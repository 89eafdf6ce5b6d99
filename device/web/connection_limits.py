"""Limits connections to the pages' server. When full, a newcomer displaces the one idle longest, of the address with
most."""

from __future__ import annotations

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum, auto

import msgspec

from device.web.host_names import network
from device.web.token_bucket import Allowance


class Limits(msgspec.Struct, frozen=True):
    """Limits of connections.

    of_one: per address (IPv6: per /64).
    request_s, answer_s, unread_s: longest times to ask, answer and read.
    request_bytes: with headers.
    rate_bytes, burst_bytes: input per second and at once.
    asks, asks_burst: requests of an address per second and at once.
    handshake_s, handshakes: TLS time, and number at once per address.
    sweep_s: between checks.
    """

    connections: int = 192
    of_one: int = 64
    request_s: float = 15.0
    answer_s: float = 45.0
    unread_s: float = 20.0
    request_bytes: int = 16 * 1024
    rate_bytes: float = 32 * 1024
    burst_bytes: float = 64 * 1024
    asks: float = 100.0
    asks_burst: float = 1000.0
    handshake_s: float = 5.0
    handshakes: int = 12
    sweep_s: float = 1.0


def affordable(limits: Limits) -> Limits:
    """Return the limits with at most a quarter of the process's files as connections, half of those for one address."""
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    connections = limits.connections if files == resource.RLIM_INFINITY else min(limits.connections, max(files // 4, 2))
    return msgspec.structs.replace(limits, connections=connections, of_one=min(limits.of_one, max(connections // 2, 1)))


RECORD_BYTES = 16 * 1024
"""Bytes read at once: a TLS record (RFC 8446, 5.1); asyncio's default takes 256 KiB."""


class Doing(Enum):
    """A connection's activity."""

    SHAKING = auto()
    ASKING = auto()
    ANSWERED = auto()
    LINKED = auto()


class Guest(asyncio.Protocol):
    """A connection within limits, forwarded to the HTTP protocol inside. It counts before TLS starts."""

    def __init__(self, limiter: ConnectionLimiter, inside: asyncio.Protocol) -> None:
        self._door, self._inside = limiter, inside
        self._limits = limiter.limits
        self._bytes = Allowance(limiter.limits.rate_bytes, limiter.limits.burst_bytes)
        self._ahead = 0
        self._transport: asyncio.Transport | None = None
        self._unread_since: float | None = None
        self._leaving_since: float | None = None
        self._entered = False
        self._shaking: asyncio.Task[None] | None = None
        self._early = bytearray()
        self.address = ""
        self.doing, self.since = Doing.ASKING, limiter.now()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.address = network((transport.get_extra_info("peername") or ("",))[0])
        if not self._door.enters(self):
            transport.abort()
        elif self._door.tls is None:
            self._enter(transport)
        else:
            self.does(Doing.SHAKING)
            self._shaking = asyncio.ensure_future(self._shake(transport, self._door.tls))

    def _enter(self, transport: asyncio.Transport) -> None:
        self._transport, self._entered = transport, True
        self._inside.connection_made(transport)

    async def _shake(self, transport: asyncio.Transport, tls: ssl.SSLContext) -> None:
        try:
            sealed = await asyncio.get_running_loop().start_tls(
                transport, self, tls, server_side=True, ssl_handshake_timeout=self._limits.handshake_s
            )
        except OSError as error:
            error.with_traceback(None)  # its frames would keep the handshake's memory
            sealed = None
        if sealed is None:
            self._door.leaves(self)
            return
        self.does(Doing.ASKING)
        self._enter(sealed)
        if self._early:  # a request may come with the handshake's end
            self.data_received(bytes(self._early))
            self._early.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.leaves(self)
        if self._entered:
            self._inside.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._entered:
            self._early += data
            return
        if self._transport is None or self._transport.is_closing():
            return
        wait = self._bytes.spend(len(data), self._door.now())
        if wait:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(wait, self._go_on)
        self._ahead += 0 if self.doing is Doing.LINKED else len(data)
        if self._ahead > self._limits.request_bytes:
            self.end()
        else:
            self._inside.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inside.eof_received()

    def pause_writing(self) -> None:
        self._unread_since = self._door.now()
        self._inside.pause_writing()

    def resume_writing(self) -> None:
        self._unread_since = None
        self._inside.resume_writing()

    def does(self, doing: Doing) -> None:
        self.doing, self.since, self._ahead = doing, self._door.now(), 0

    def end(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def end_if_overdue(self, now: float) -> None:
        if self._transport is None or not self.overdue(now):
            return
        if self.doing is Doing.ASKING and not self._transport.is_closing():
            self._transport.close()
        else:
            self._transport.abort()

    def overdue(self, now: float) -> bool:
        """Note when closing began; return True if a time limit is exceeded."""
        if self._transport is not None and self._transport.is_closing():
            self._leaving_since = self._leaving_since or now
            return now > self._leaving_since + self._limits.unread_s
        if self._unread_since is not None and now > self._unread_since + self._limits.unread_s:
            return True
        timeout = {Doing.ASKING: self._limits.request_s, Doing.ANSWERED: self._limits.answer_s}.get(self.doing)
        return timeout is not None and now > self.since + timeout

    def _go_on(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()


class ConnectionLimiter:
    """A server's connections. inside: makes their protocol. tls: done here, not by the server."""

    def __init__(
        self, inside: Callable[[], asyncio.Protocol], limits: Limits, tls: ssl.SSLContext | None = None
    ) -> None:
        self.limits, self.tls = affordable(limits), tls
        if tls is not None:
            SSLProtocol.max_size = RECORD_BYTES
        self._inside = inside
        self._guests: list[Guest] = []
        self._asks: dict[str, Allowance] = {}
        self._sweeping: asyncio.TimerHandle | None = None

    def __call__(self) -> Guest:
        return Guest(self, self._inside())

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def enters(self, guest: Guest) -> bool:
        """Admit a connection, perhaps ending another; return False if there is no room, or its address has too many TLS
        handshakes under way."""
        mine = [each for each in self._guests if each.address == guest.address]
        if sum(each.doing is Doing.SHAKING for each in mine) >= self.limits.handshakes:
            return False  # one ended as it begins would keep its memory until its timeout
        if len(mine) >= self.limits.of_one:
            stale = _stalest(mine)
        elif len(self._guests) >= self.limits.connections:
            count = Counter(each.address for each in self._guests)
            most = max(count.values())
            stale = _stalest(each for each in self._guests if count[each.address] == most)
        else:
            stale = guest
        if stale is None:
            return False
        if stale is not guest:
            self._guests.remove(stale)
            stale.end()
        self._guests.append(guest)
        self._sweeping = self._sweeping or self._sweep_later()
        return True

    def leaves(self, guest: Guest) -> None:
        if guest in self._guests:
            self._guests.remove(guest)

    def take_request(self, address: str) -> bool:
        """Count an address's request; return False if it asks too often."""
        return self._asks.setdefault(address, Allowance(self.limits.asks, self.limits.asks_burst)).take(self.now())

    def close(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
        for guest in tuple(self._guests):
            guest.end()

    def _sweep(self) -> None:
        now = self.now()
        for guest in tuple(self._guests):
            guest.end_if_overdue(now)
        self._asks = {address: asks for address, asks in self._asks.items() if not asks.whole(now)}
        self._sweeping = self._sweep_later() if self._guests or self._asks else None

    def _sweep_later(self) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self.limits.sweep_s, self._sweep)


def _stalest(guests: Iterable[Guest]) -> Guest | None:
    without = [guest for guest in guests if guest.doing is not Doing.LINKED]
    return min(without, key=lambda guest: (guest.doing is Doing.ANSWERED, guest.since), default=None)
