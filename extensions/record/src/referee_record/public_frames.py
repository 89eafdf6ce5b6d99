"""Defines the frames of the table's public socket."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from referee_record.public_entries import Signed

_STANDS = b"table-referee standing 1"


class _Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="is"):
    """Base of all frames."""


class Said(_Frame, frozen=True, tag="said"):
    """A signed entry of the record; a match's first is its opening."""

    link: Signed


class Standing(_Frame, frozen=True, tag="standing"):
    """The current or last match's opening and last entry, for latecomers.

    before: earlier entries' part of the last hash, hexadecimal.
    signature: over `stands`.
    """

    opening: Signed
    last: Signed
    before: str
    signature: str


def stands(opening: bytes, last: bytes) -> bytes:
    """Return the message that `Standing` signs. opening, last: hashes."""
    return _STANDS + opening + last


class Seated(msgspec.Struct, frozen=True):
    """A seat. name: the player's, if agreed. side: its side's name, or "". turn: may act."""

    seat: str
    name: str
    side: str
    turn: bool


class Scores(msgspec.Struct, frozen=True):
    """A counter. of: subject. entries: by player or team. to: goal or maximum."""

    of: str
    entries: tuple[tuple[str, int], ...]
    to: int | None = None


class Running(msgspec.Struct, frozen=True):
    """A seat's clock. left_s: seconds left at `Glance.at`. runs: still running."""

    seat: str
    left_s: float
    runs: bool


class Glance(_Frame, frozen=True, tag="glance"):
    """The table's public summary in English.

    game: title, or set-up page.
    match: identity, or "".
    status: turn, or what is awaited.
    camera: "ok", "none", "silent" or a fault (`engine.table.Health`).
    needs: why a person is needed, or "".
    at: seconds since 1970, or None.
    winners: seats, at the end.
    """

    game: str
    match: str
    seats: tuple[Seated, ...]
    status: str
    scores: tuple[Scores, ...]
    clocks: tuple[Running, ...]
    paused: bool
    result: str
    camera: str
    needs: str
    at: float | None = None
    winners: tuple[str, ...] = ()


class Silent(_Frame, frozen=True, tag="silent"):
    """The table signs nothing: no commitment, or no usable key."""


Frame: TypeAlias = Said | Standing | Silent | Glance
FRAME: Any = Frame
"""The union, for a decoder."""
