"""The base of connections on unix sockets, writing without blocking."""

from __future__ import annotations

import asyncio

HIGH = 1 << 18
"""Bytes buffered before `pause_writing`."""


class Connection(asyncio.Protocol):
    """A connection; subclasses handle a slow peer in `pause_writing`."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        """None while not connected."""

    def write(self, data: bytes) -> None:
        """Queue data; ignored without a connection."""
        if self._transport is not None and data:
            self._transport.write(data)

    def cut(self) -> None:
        """Abort the connection."""
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._transport = None
