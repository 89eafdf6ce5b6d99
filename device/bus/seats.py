"""One endpoint a display: its screens, numbered for itself alone (a topic on one socket would keep nobody out)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import zmq

from device.bus.curve import Context, Gate
from device.bus.endpoints import ipc, runtime_dir
from device.screens.screen import BLANK, Screen

VERSION = 1


class Shown(msgspec.Struct, frozen=True, tag="shown"):
    """What a display shows. `number` counts what this endpoint published, so it tells nothing of the others (law 5)."""

    display: str
    number: int
    screen: Screen
    language: str
    version: int = VERSION


class Endpoints:
    """The publishing side: local sockets, and over TCP only through a `Gate`."""

    def __init__(self, context: Context, folder: Path, displays: tuple[str, ...]) -> None:
        runtime_dir(folder)
        self._sockets: dict[str, list[zmq.Socket[bytes]]] = {}
        self._last = {name: Shown(name, 0, BLANK, "en") for name in displays}
        for name in displays:
            socket = context.socket(zmq.XPUB)
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.XPUB_VERBOSE, 1)
            socket.bind(ipc(folder, f"display-{name}"))
            self._sockets[name] = [socket]

    @property
    def displays(self) -> tuple[str, ...]:
        return tuple(self._sockets)

    def over_tcp(self, display: str, address: str, gate: Gate) -> str:
        """Opens a display to the network as well, for the holder of its key. Returns the address that it got."""
        socket, bound = gate.bind(display, address)
        self._sockets[display].append(socket)
        return bound

    def publish(self, display: str, screen: Screen, language: str) -> None:
        """Sends a screen to whoever reads this display."""
        last = self._last[display]
        self._last[display] = Shown(display, last.number + 1, screen, language)
        for socket in self._sockets[display]:
            socket.send(_encoded(self._last[display]), zmq.NOBLOCK)

    def welcome(self) -> None:
        """Sends the present screen to those who came since the last call."""
        for name, sockets in self._sockets.items():
            for socket in sockets:
                if _newcomers(socket):
                    socket.send(_encoded(self._last[name]), zmq.NOBLOCK)

    def close(self) -> None:
        for sockets in self._sockets.values():
            for socket in sockets:
                socket.close(0)


def _newcomers(socket: zmq.Socket[bytes]) -> bool:
    new = False
    while socket.poll(0):
        new |= socket.recv(zmq.NOBLOCK)[:1] == b"\x01"
    return new


def _encoded(shown: Shown) -> bytes:
    return msgspec.json.encode(shown, order="deterministic")
