"""Asks the helper without blocking."""

from __future__ import annotations

import socket
from pathlib import Path

from device.privileged_helper.verbs import SOCKET, Answer, Verb, decode_answer

LONGEST_ANSWER = 16 * 1024
"""Bytes of a valid line."""


def there(path: Path = SOCKET) -> bool:
    """Return True if the helper is installed here."""
    return path.is_socket()


class HelperJob:
    """A requested verb; call `poll` from time to time."""

    def __init__(self, verb: Verb, path: Path = SOCKET) -> None:
        """Send the request; failures appear in the answer."""
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
        """True once the answer is final."""
        return self.answer.over

    def poll(self) -> Answer:
        """Return the newest answer."""
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
        """Stop listening; the job continues."""
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
