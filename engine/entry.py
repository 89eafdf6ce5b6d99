"""Journal entries: the accepted commands. A match is the fold over them (law 1); nothing else affects it.

`at` counts seconds; a match begins at `Start.at`, usually 0. Unknown content of a later version is refused."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.evening import Evening
from engine.game import OptionValue, Words
from engine.table import Seat

VERSION = 3
"""Format version of entries. Version 1 had no corrected cards and no digest of the data."""

MOVES = 3
"""Version since which each move winds a clock of seconds a move, and an undo gives the clocks back as they were."""


class Source(StrEnum):
    BUTTONS = "buttons"
    CAMERA = "camera"


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="start"):
    """The first entry of a match. `seed` is its only source of randomness.

    deck: the owner's corrections (`engine.deck.corrections`)
    data: digest of the shipped data; "" in records written by hand
    evening: its evening, unused by the rules"""

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
    """A seat's action or answer, in notation. After one at the buttons, a hand may still have to carry it out."""

    at: float
    seat: Seat
    words: Words
    source: Source = Source.BUTTONS


class Settle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="settle"):
    """The pending order was carried out, as the camera saw or a press confirmed."""

    at: float
    source: Source


class Flag(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="flag"):
    at: float
    seat: Seat


class Pause(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="pause"):
    at: float
    paused: bool


class Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="undo"):
    """A take-back of the last action; invalid past an entry that revealed something."""

    at: float
    seat: Seat


class Correct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="correct"):
    """A correction of the referee's belief, by consent of all seats; allowed even after a revelation.

    again: apply it before the pending order, then repeat that."""

    at: float
    words: Words
    again: bool = False


class Restored(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="restored"):
    """A seat says that the table is right although the camera disagrees; the match does not change."""

    at: float
    seat: Seat


class Resign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="resign"):
    at: float
    seat: Seat


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="draw"):
    at: float


Entry: TypeAlias = "Start | Act | Settle | Flag | Pause | Undo | Correct | Restored | Resign | Draw"


encode: Callable[[Entry], bytes] = msgspec.json.Encoder(order="deterministic").encode
"""Encode an entry as JSON, the same bytes on every machine."""


def decode(data: bytes) -> Entry:
    """Decode an entry. Raises ValueError for bad data or a later version."""
    entry = _decoder.decode(data)
    if isinstance(entry, Start) and not 1 <= entry.version <= VERSION:
        raise ValueError(f"entries of version {entry.version} are not known here: update table-referee")
    return entry


_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(
    Start | Act | Settle | Flag | Pause | Undo | Correct | Restored | Resign | Draw
)
