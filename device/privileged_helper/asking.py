"""The daemon's side of the steward's socket: asked now and then, it never waits."""

from __future__ import annotations

import socket
from pathlib import Path

from device.privileged_helper.verbs import SOCKET, Answer, Verb, decode_answer

LONGEST_ANSWER = 16 * 1024
"""Bytes of a line; a longer one is none."""


def there(path: Path = SOCKET) -> bool:
    """Return True if this machine has a steward: the package's units are there, and this is no simulation."""
    return path.is_socket()


class HelperJob:
    """One verb that the steward was asked for. `poll` it now and then: it reads what came, and never waits."""

    def __init__(self, verb: Verb, path: Path = SOCKET) -> None:
        """Asks. Where nobody answers, the answer says so."""
        self.answer = Answer(verb, "waiting")
        self._left = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            self._socket.connect(str(path))  # a local socket answers at once: it takes the call, or its queue is full
            self._socket.sendall(f"{verb}\n".encode())
        except OSError:
            self._end("nobody-there")

    @property
    def over(self) -> bool:
        """Return True if nothing more comes."""
        return self.answer.over

    def poll(self) -> Answer:
        """The newest answer."""
        while not self.over:
            try:
                came = self._socket.recv(4096)
            except BlockingIOError:
                break
            except OSError:
                came = b""
            if not came:
                self._end("broken-off")
                break
            self._take(came)
        if self.over:
            self._socket.close()
        return self.answer

    def close(self) -> None:
        """Asks no further. What was begun goes on."""
        self._socket.close()

    def _take(self, came: bytes) -> None:
        *lines, self._left = (self._left + came).split(b"\n")
        try:
            for line in lines:
                self.answer = decode_answer(line)
        except ValueError:
            self._end("failed")
        if len(self._left) > LONGEST_ANSWER:
            self._end("failed")

    def _end(self, why: str) -> None:
        self.answer = Answer(self.answer.verb, "failed", why=why)
