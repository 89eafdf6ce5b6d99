"""What the keeper of the pages is given: all that its workers will ever serve, as bytes, and the sockets for it.

It is made by a process that knows files, languages and the table file, and read by one that knows none of them.
"""

from __future__ import annotations

import os
import ssl

import msgspec


class File(msgspec.Struct, frozen=True):
    """What is served at one path. kind: its Content-Type; tag: its ETag (RFC 9110, 8.8.3)."""

    kind: str
    body: bytes
    tag: str


class Certificate(msgspec.Struct, frozen=True):
    """Paths of PEM files."""

    chain: str
    key: str

    def context(self) -> ssl.SSLContext:
        """Return the server's TLS context. Raises OSError if the files are no certificate with its key."""
        found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        found.load_cert_chain(self.chain, self.key)
        found.set_alpn_protocols(["http/1.1"])
        return found


class Place(msgspec.Struct, frozen=True):
    """Where one audience is served. audience: a seat's letter, or "table". listener: the number of a descriptor, a TCP
    socket that listens. endpoint: the path of the daemon's socket for it. own: files that no other audience has.
    certificate: read by its worker alone, before it is shut in; None: nothing is encrypted.
    ports: of this host, to which its pages may open a WebSocket, too.
    """

    audience: str
    listener: int
    endpoint: str
    own: dict[str, File]
    certificate: Certificate | None = None
    ports: tuple[int, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """places: one worker is made for each. files: by path, for all of them. names: host names beside IP addresses,
    localhost under which the pages may be asked for. sentences: by language, then by key (`KEYS`).
    language: of whoever asks for none of them. shut_in: False only where there is nothing to guard, in simulation.
    """

    places: tuple[Place, ...]
    files: dict[str, File]
    names: tuple[str, ...]
    sentences: dict[str, dict[str, str]]
    language: str
    shut_in: bool = True

    def sentence(self, key: str, language: str = "") -> str:
        """A sentence in a language, or in the usual one if that is none of ours."""
        return self.sentences.get(language, self.sentences[self.language])[key]


KEYS = ("no-page", "no-host", "other-page", "full", "away", "reload")
"""Of the sentences that a worker says by itself; see `referee_phones.words`."""


def handed_over(plan: Plan) -> int:
    """The number of a descriptor, kept over an exec, that holds the plan."""
    number = os.memfd_create("plan", 0)
    with os.fdopen(number, "wb", closefd=False) as file:
        file.write(msgspec.msgpack.encode(plan))
    os.lseek(number, 0, os.SEEK_SET)
    return number


def received(number: int) -> Plan:
    """The plan that such a descriptor holds; the descriptor is closed."""
    with os.fdopen(number, "rb") as file:
        return msgspec.msgpack.decode(file.read(), type=Plan)
