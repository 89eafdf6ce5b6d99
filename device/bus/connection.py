"""The daemon's end of a unix stream socket, whose other end is never waited for."""

from __future__ import annotations

import asyncio

HIGH = 1 << 18
"""Bytes that may wait for the other end before asyncio calls `pause_writing`."""


class Connection(asyncio.Protocol):
    """One connection. A class of it says what becomes of an end that takes nothing (`pause_writing`)."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        """None before it is made, and once it is lost."""

    def write(self, data: bytes) -> None:
        """Sends that, as soon as the other end takes it; nothing happens if it is not there. Returns at once."""
        if self._transport is not None and data:
            self._transport.write(data)

    def cut(self) -> None:
        """Ends the connection, whatever is still to be sent."""
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._transport = None
