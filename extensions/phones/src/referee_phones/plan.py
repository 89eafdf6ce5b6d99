"""The keeper's plan: all bytes that its workers serve, and their sockets.

Written by a process that knows files and languages, read by one that knows neither."""

from __future__ import annotations

import os
import ssl

import msgspec


class File(msgspec.Struct, frozen=True):
    """A served file. kind: Content-Type. tag: ETag (RFC 9110, 8.8.3), weak because both forms of the body have it.
    packed: the body as gzip; b"" if not smaller."""

    kind: str
    body: bytes
    tag: str
    packed: bytes


class Certificate(msgspec.Struct, frozen=True):
    """Paths of PEM files."""

    chain: str
    key: str

    def context(self) -> ssl.SSLContext:
        """Return the server's TLS context. Raises OSError for unusable files."""
        found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        found.load_cert_chain(self.chain, self.key)
        found.set_alpn_protocols(["http/1.1"])
        return found


class Place(msgspec.Struct, frozen=True):
    """One audience's place on the network.

    audience: a seat's letter, "table", "owner" or "camera"
    listener: a listening TCP socket's descriptor
    endpoint: path of the daemon's socket
    own: this audience's files
    certificate: read before confinement; None without encryption
    ports: further ones of this host for its pages' WebSockets
    shown, shown_by: ports of this host whose pages it may frame, and that may frame it"""

    audience: str
    listener: int
    endpoint: str
    own: dict[str, File]
    certificate: Certificate | None = None
    ports: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    shown_by: tuple[int, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """The plan.

    places: one worker each
    files: all audiences', by path
    names: accepted hosts beside IP addresses and localhost
    sentences: by language, then key
    language: the default
    shut_in: False only in simulation"""

    places: tuple[Place, ...]
    files: dict[str, File]
    names: tuple[str, ...]
    sentences: dict[str, dict[str, str]]
    language: str
    shut_in: bool = True

    def sentence(self, key: str, language: str = "") -> str:
        """Return a sentence; unknown languages get the default one."""
        return self.sentences.get(language, self.sentences[self.language])[key]


KEYS = ("no-page", "no-host", "other-page", "full", "away", "large", "reload")
"""Keys of the worker's own sentences."""


def handed_over(plan: Plan) -> int:
    """Write the plan to memory; return its descriptor, which survives exec."""
    number = os.memfd_create("plan", 0)
    with os.fdopen(number, "wb", closefd=False) as file:
        file.write(msgspec.msgpack.encode(plan))
    os.lseek(number, 0, os.SEEK_SET)
    return number


def receive_plan(number: int) -> Plan:
    """Read a plan from a descriptor, and close it."""
    with os.fdopen(number, "rb") as file:
        return msgspec.msgpack.decode(file.read(), type=Plan)
