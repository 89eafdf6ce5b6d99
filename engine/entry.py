"""Journal entries: the commands that were accepted. A match is the fold over them (law 1).

Every entry carries `at`, seconds since the match began on the daemon's clock. Nothing else that happens in the world
reaches the state of a match. What a later version wrote, and this one does not know, is refused, never left out.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.evening import Evening
from engine.game import OptionValue, Words
from engine.table import Seat

VERSION = 2
"""Of entries. 1 had neither the cards that an owner corrected nor the digest of the data."""


class Source(StrEnum):
    BUTTONS = "buttons"
    CAMERA = "camera"


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="start"):
    """The first entry: which game, how, by whom. `seed` is all the randomness that the match will ever have.

    deck: what the table's owner corrected on the cards (`engine.deck.corrections`). data: the digest of the shipped
    data that they were corrected in, and of whatever else the game was made of; "" in records written by hand.
    evening: how the evening stood of which this match is one. What it says is no part of the match's state.
    """

    at: float
    game: str
    options: dict[str, OptionValue]
    seats: tuple[Seat, ...]
    seed: int
    clock: dict[str, OptionValue] = {}
    version: int = VERSION
    deck: dict[str, str] = {}
    data: str = ""
    evening: Evening | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        if isinstance(self.evening, Evening) and len(self.evening.seated) != len(self.seats):
            raise ValueError(f"{len(self.evening.seated)} players cannot sit at {len(self.seats)} seats")


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="act"):
    """An action or an answer of a seat, in notation. From the buttons it may still have to be carried out by hand."""

    at: float
    seat: Seat
    words: Words
    source: Source = Source.BUTTONS


class Settle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="settle"):
    """What the last action ordered has been carried out: seen by the camera, or confirmed by a press."""

    at: float
    source: Source


class Flag(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="flag"):
    """A seat's clock ran out."""

    at: float
    seat: Seat


class Pause(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="pause"):
    at: float
    paused: bool


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="undo"):
    """Takes back the last action that still stands. Illegal past an entry that revealed something."""

    at: float
    seat: Seat


class Correct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="correct"):
    """A repair of what the referee believes, by consent of all seats; possible even after a revelation.

    again: the order that is owed showed that the belief was wrong. The repair is made in the state in which it was
    ordered, and what was ordered counts again from there.
    """

    at: float
    words: Words
    again: bool = False


class Restored(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="restored"):
    """A seat says that everything was put right, although the camera sees it otherwise: its word counts.

    It changes nothing in the match, and makes nothing legal that was not: what was refused stays undone.
    """

    at: float
    seat: Seat


class Resign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="resign"):
    at: float
    seat: Seat


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="draw"):
    """A draw by agreement of all seats."""

    at: float


Entry: TypeAlias = "Start | Act | Settle | Flag | Pause | Undo | Correct | Restored | Resign | Draw"


encode: Callable[[Entry], bytes] = msgspec.json.Encoder(order="deterministic").encode
"""One entry as JSON, the same bytes on every machine."""


def decode(data: bytes) -> Entry:
    """The entry in `data`. Raises ValueError, as msgspec does, also for one of a later version."""
    entry = _decoder.decode(data)
    if isinstance(entry, Start) and not 1 <= entry.version <= VERSION:
        raise ValueError(f"entries of version {entry.version} are not known here: update table-referee")
    return entry


_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(
    Start | Act | Settle | Flag | Pause | Undo | Correct | Restored | Resign | Draw
)
