"""The commitment to a match before its first move: a hash that tells nothing, and fits no other match."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from engine.entry import Entry, Start, encode
from engine.errors import RefereeError

SALT = 32
"""Bytes that nobody can guess: without them the few likely seeds and options could be tried out."""

_NAME = b"table-referee commitment 1"


class Unsalted(RefereeError, ValueError):
    """What is kept as a salt is none."""


def salted(written: str) -> bytes:
    """The salt as it is kept, in hexadecimal. Raises Unsalted; what is kept stands in no message, as it is a secret."""
    try:
        salt = bytes.fromhex(written)
    except ValueError:
        salt = b""
    if len(salt) != SALT:
        raise Unsalted(f"the salt that is kept of the match has not {SALT} bytes: its commitment cannot be shown")
    return salt


def commitment(salt: bytes, start: Start, program: str) -> str:
    """SHA-256, in hexadecimal, of the salt, the program's version and the first entry: its seed, its options, the
    digest of its data, the cards that its owner corrected, its seats and clock."""
    hashed = hashlib.sha256(_NAME)
    for part in (salt, program.encode(), encode(start)):
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()


class Seal:
    """Proofs of a match's entries so far, one after another, that tell nothing to who has not got the salt."""

    def __init__(self, salt: bytes) -> None:
        self._salt, self._entries = salt, hashlib.sha256()

    def add(self, entries: Sequence[Entry]) -> None:
        """Some more entries."""
        for entry in entries:
            data = encode(entry)
            self._entries.update(len(data).to_bytes(8, "big") + data)

    def now(self) -> str:
        """Return the seal of all entries that were added, in hexadecimal (HMAC-SHA256)."""
        return hmac.digest(self._salt, self._entries.copy().digest(), "sha256").hex()
