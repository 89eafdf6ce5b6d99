"""Publishes each display's screens on its own endpoint, which isolates seats."""

from __future__ import annotations

from pathlib import Path

import msgspec
import zmq

from device.bus.endpoints import ipc, runtime_dir
from device.screens.screen import BLANK, Screen

VERSION = 1


class Shown(msgspec.Struct, frozen=True, tag="shown"):
    """A display's screen. number: counts per endpoint (law 5)."""

    display: str
    number: int
    screen: Screen
    language: str
    version: int = VERSION


class Endpoints:
    """A publishing socket per display. Raises EndpointError, zmq.ZMQError."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], folder: Path, displays: tuple[str, ...]) -> None:
        runtime_dir(folder)
        self._sockets: dict[str, zmq.Socket[bytes]] = {}
        self._last = {name: Shown(name, 0, BLANK, "en") for name in displays}
        for name in displays:
            socket = context.socket(zmq.XPUB)
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.XPUB_VERBOSE, 1)
            socket.bind(ipc(folder, f"display-{name}"))
            self._sockets[name] = socket

    @property
    def displays(self) -> tuple[str, ...]:
        return tuple(self._sockets)

    def publish(self, display: str, screen: Screen, language: str) -> None:
        """Send a screen to a display's readers."""
        last = self._last[display]
        self._last[display] = Shown(display, last.number + 1, screen, language)
        self._sockets[display].send(_encode(self._last[display]), zmq.NOBLOCK)

    def welcome(self) -> None:
        """Send a display's screen again, to all its readers, if one is new."""
        for name, socket in self._sockets.items():
            if _newcomers(socket):
                socket.send(_encode(self._last[name]), zmq.NOBLOCK)

    def close(self) -> None:
        for socket in self._sockets.values():
            socket.close(0)


def _newcomers(socket: zmq.Socket[bytes]) -> bool:
    new = False
    while socket.poll(0):
        new |= socket.recv(zmq.NOBLOCK)[:1] == b"\x01"
    return new


def _encode(shown: Shown) -> bytes:
    return msgspec.json.encode(shown, order="deterministic")
