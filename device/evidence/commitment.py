"""Commits to a match before its first move, with a hash that reveals nothing."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from engine.entry import Entry, Start, encode
from engine.errors import RefereeError

SALT = 32
"""Bytes of the salt."""

_NAME = b"table-referee commitment 1"


class Unsalted(RefereeError, ValueError):
    """The stored salt is invalid."""


def decode_salt(written: str) -> bytes:
    """Return a stored hexadecimal salt as bytes. Raises Unsalted, without the secret value."""
    try:
        salt = bytes.fromhex(written)
    except ValueError:
        salt = b""
    if len(salt) != SALT:
        raise Unsalted(f"the salt that is kept of the match has not {SALT} bytes: its commitment cannot be shown")
    return salt


def commitment(salt: bytes, start: Start, program: str) -> str:
    """Return SHA-256 (hexadecimal) over salt, program version and first entry."""
    hashed = hashlib.sha256(_NAME)
    for part in (salt, program.encode(), encode(start)):
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()


class Seal:
    """Proofs of all entries so far, which reveal nothing without the salt."""

    def __init__(self, salt: bytes) -> None:
        self._salt, self._entries = salt, hashlib.sha256()

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        for entry in entries:
            data = encode(entry)
            self._entries.update(len(data).to_bytes(8, "big") + data)

    def now(self) -> str:
        """Return the seal so far (HMAC-SHA256, hexadecimal)."""
        return hmac.digest(self._salt, self._entries.copy().digest(), "sha256").hex()
