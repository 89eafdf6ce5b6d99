"""Journal entries: the commands that were accepted. A match is the fold over them (law 1).

Every entry carries `at`, seconds since the match began on the daemon's clock. Nothing else that happens in the world
reaches the state of a match.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.game import OptionValue, Words
from engine.table import Seat

VERSION = 1


class Source(StrEnum):
    BUTTONS = "buttons"
    CAMERA = "camera"


class Start(msgspec.Struct, frozen=True, tag="start"):
    """The first entry: which game, how, by whom. `seed` is all the randomness that the match will ever have."""

    at: float
    game: str
    options: dict[str, OptionValue]
    seats: tuple[Seat, ...]
    seed: int
    clock: dict[str, OptionValue] = {}
    version: int = VERSION


class Act(msgspec.Struct, frozen=True, tag="act"):
    """An action or an answer of a seat, in notation. From the buttons it may still have to be carried out by hand."""

    at: float
    seat: Seat
    words: Words
    source: Source = Source.BUTTONS


class Settle(msgspec.Struct, frozen=True, tag="settle"):
    """What the last action ordered has been carried out: seen by the camera, or confirmed by a press."""

    at: float
    source: Source


class Flag(msgspec.Struct, frozen=True, tag="flag"):
    """A seat's clock ran out."""

    at: float
    seat: Seat


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    at: float
    paused: bool


class Undo(msgspec.Struct, frozen=True, tag="undo"):
    """Takes back the last action that still stands. Illegal past an entry that revealed something."""

    at: float
    seat: Seat


class Correct(msgspec.Struct, frozen=True, tag="correct"):
    """A repair of what the referee believes, by consent of all seats; possible even after a revelation.

    again: the order that is owed showed that the belief was wrong. The repair is made in the state in which it was
    ordered, and what was ordered counts again from there.
    """

    at: float
    words: Words
    again: bool = False


class Restored(msgspec.Struct, frozen=True, tag="restored"):
    """A seat says that everything was put right, although the camera sees it otherwise: its word counts.

    It changes nothing in the match, and makes nothing legal that was not: what was refused stays undone.
    """

    at: float
    seat: Seat


class Resign(msgspec.Struct, frozen=True, tag="resign"):
    at: float
    seat: Seat


class Draw(msgspec.Struct, frozen=True, tag="draw"):
    """A draw by agreement of all seats."""

    at: float


Entry: TypeAlias = "Start | Act | Settle | Flag | Pause | Undo | Correct | Restored | Resign | Draw"


def encode(entry: Entry) -> bytes:
    """One entry as JSON, the same bytes on every machine."""
    return msgspec.json.encode(entry, order="deterministic")


def decode(data: bytes) -> Entry:
    """The entry in `data`. Raises msgspec.ValidationError or msgspec.DecodeError."""
    return _decoder.decode(data)


_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(
    Start | Act | Settle | Flag | Pause | Undo | Correct | Restored | Resign | Draw
)
