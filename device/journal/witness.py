"""The witness: a small file beside the journal that says how much the journal held when the witness was written.

A journal that lost its end looks whole; only somebody else can tell that something is missing. The witness is written
whole, when the displays are served, so an entry younger than it can be missing without its word.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

import msgspec

from device.journal.rows import NOTHING, Head
from vision.files import write_whole

_log = logging.getLogger(__name__)
_LARGEST = 1 << 24
"""Bytes: some half a million matches."""


class Witness(msgspec.Struct, frozen=True):
    """What was in the journal. heads: number of entries and chain value of each match; stamp: of the newest setting."""

    heads: dict[int, Head] = {}
    current: int | None = None
    stamp: int = 0
    version: int = 1

    def missing(self, heads: dict[int, Head]) -> dict[int, int]:
        """Return how many entries of each match are missing."""
        counts = {match: head.count - heads.get(match, NOTHING).count for match, head in self.heads.items()}
        return {match: count for match, count in counts.items() if count > 0}


def beside(journal: Path) -> Path:
    """Return the path of a journal's witness."""
    return journal.with_name(f"{journal.name}-witness")


def write(journal: Path, witness: Witness) -> None:
    """Raises OSError."""
    body = msgspec.json.encode(witness)
    write_whole(beside(journal), body + b"\n" + _sum(body) + b"\n", mode=0o600)


def read(journal: Path) -> Witness | None:
    """None if there is none, or if it is not whole itself: then nobody knows whether the journal's end is missing."""
    path = beside(journal)
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        body, found = path.read_bytes().split(b"\n")[:2]
        if found != _sum(body):
            raise ValueError("it was altered")
        return msgspec.json.decode(body, type=Witness)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be used (%s): whether the newest entries are missing cannot be told", path, error)
        return None


def _sum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()
