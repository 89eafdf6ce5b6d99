"""A table's certificate from its club, as a locked bundle or a file.

A code reads ADDRESS#SECRET. The bundle at the address is useless without the secret, which is never sent: clients
keep the part after `#` (RFC 3986, 3.5). Whoever has the whole code can pose as that table until the club removes it."""

from __future__ import annotations

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from engine.errors import RefereeError

LONGEST = 32 * 1024
"""Bytes of a bundle."""


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a table's herald needs. table: name at the broker. broker: HOST:PORT. The rest is PEM."""

    table: str
    broker: str
    certificate: str
    key: str
    authority: str


class NoBundle(RefereeError, ValueError):
    """A bundle cannot be made, fetched or read; the message says why and what to do."""


def lock_bundle(bundle: Bundle) -> tuple[bytes, str]:
    """Return the locked bundle and its secret."""
    secret = Fernet.generate_key().decode().rstrip("=")
    return Fernet(_whole(secret)).encrypt(msgspec.json.encode(bundle)), secret


def unlock_bundle(data: bytes, secret: str) -> Bundle:
    """Return the bundle. Raises NoBundle."""
    try:
        return msgspec.json.decode(Fernet(_whole(secret)).decrypt(data), type=Bundle)
    except (InvalidToken, ValueError) as error:
        raise NoBundle("that is not what the code belongs to: ask the club for another one") from error


def read(data: bytes) -> Bundle:
    """Return the bundle of an unlocked file. Raises NoBundle."""
    try:
        return msgspec.json.decode(data, type=Bundle)
    except (ValueError, RecursionError) as error:
        raise NoBundle("that is no file of a club: `referee club table NAME --out FILE` writes one") from error


def _whole(secret: str) -> str:
    return secret + "=" * (-len(secret) % 4)
