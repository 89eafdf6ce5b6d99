"""A table's certificate as a club hands it over: a bundle, locked with a code, or in a file.

A code reads ADDRESS#SECRET. What lies at the address is nothing without the secret, which is never sent: browsers and
programs keep what stands behind a `#` to themselves (RFC 3986, 3.5). Who has the whole code can pass for that table at
the broker, until another table of that name is added.
"""

from __future__ import annotations

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from engine.errors import RefereeError

LONGEST = 32 * 1024
"""Bytes of a bundle."""


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table needs for its herald. table: its name at the broker; broker: HOST:PORT; the rest is PEM."""

    table: str
    broker: str
    certificate: str
    key: str
    authority: str


class NoBundle(RefereeError, ValueError):
    """There is none, or it cannot be unlocked; the message says why and what to do."""


def locked(bundle: Bundle) -> tuple[bytes, str]:
    """The bundle as it may be sent, and the secret that unlocks it."""
    secret = Fernet.generate_key().decode().rstrip("=")
    return Fernet(_whole(secret)).encrypt(msgspec.json.encode(bundle)), secret


def unlocked(data: bytes, secret: str) -> Bundle:
    """Raises NoBundle."""
    try:
        return msgspec.json.decode(Fernet(_whole(secret)).decrypt(data), type=Bundle)
    except (InvalidToken, ValueError) as error:
        raise NoBundle("that is not what the code belongs to: ask the club for another one") from error


def read(data: bytes) -> Bundle:
    """Out of a file, which is not locked. Raises NoBundle."""
    try:
        return msgspec.json.decode(data, type=Bundle)
    except (ValueError, RecursionError) as error:
        raise NoBundle("that is no file of a club: `referee club table NAME --out FILE` writes one") from error


def _whole(secret: str) -> str:
    return secret + "=" * (-len(secret) % 4)
