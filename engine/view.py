"""Views, panels and events as data; displays and languages decide their form."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Seat, Spot
from engine.text import Text

Json: TypeAlias = "bool | int | float | str | tuple[Json, ...] | dict[str, Json] | None"


class Line(msgspec.Struct, frozen=True, tag="line"):
    """A line of text; `strong` shows it inverted."""

    text: Text
    strong: bool = False


class Glyphs(msgspec.Struct, frozen=True, tag="glyphs"):
    """A row of sprites (`config/sprites`) with optional captions. marked: numbers from 0.

    An empty name is a gap; "down" and "unknown" exist in every set."""

    label: Text
    names: tuple[str, ...]
    captions: tuple[str, ...] = ()
    marked: frozenset[int] = frozenset()


class Gauge(msgspec.Struct, frozen=True, tag="gauge"):
    """A number out of a maximum, as a bar. label: the thing counted."""

    label: Text
    value: int
    maximum: int


class Score(msgspec.Struct, frozen=True, tag="score"):
    """A number per seat or team. `to` is the winning number, if any."""

    label: Text
    entries: tuple[tuple[str | Text, int], ...]
    to: int | None = None


class Ring(msgspec.Struct, frozen=True, tag="ring"):
    """Numbered sectors of a circle, clockwise from 1: a letter or sprite each, players' marks and lit ones.

    label: the circle, with its marks in words for small displays
    words: cells in words, for screen readers; () uses the letters"""

    label: Text
    cells: tuple[str, ...]
    lit: frozenset[int] = frozenset()
    marks: tuple[tuple[int, str | Text], ...] = ()
    words: tuple[Text, ...] = ()


class Cells(msgspec.Struct, frozen=True, tag="cells"):
    """A strip of squares with contents ("" for none) and numbers; () counts from 1."""

    label: Text
    cells: tuple[str | Text, ...]
    numbers: tuple[str, ...] = ()


class RingSector(msgspec.Struct, frozen=True):
    """A sector of a `Ring`, from 1."""

    number: int


class NamedCard(msgspec.Struct, frozen=True):
    """A card by its kind, wherever it is.

    row, column: place among all cards when they are spread out, such as suit and rank
    heading: name of the row, if its cards do not show it"""

    kind: str
    row: int = 0
    column: int = 0
    heading: Text | None = None


DrawnThing: TypeAlias = Spot | RingSector | NamedCard
"""A thing that pages draw and a finger touches: a piece on the mat, a sector, a card."""


Panel: TypeAlias = Line | Glyphs | Gauge | Score | Ring | Cells


class View(msgspec.Struct, frozen=True):
    """All that one audience may know.

    facts: plain data for `referee replay --json`
    panels: contents of a display, most important first
    prompt: present request to the audience, one line"""

    facts: dict[str, Json]
    panels: tuple[Panel, ...]
    prompt: Text | None = None


def heard_by(audience: frozenset[Seat] | None, seat: Seat | None) -> bool:
    """Return True if a seat belongs to an audience (None: everybody). A spectator (None) hears public events only."""
    return audience is None or (seat is not None and seat in audience)


class Event(msgspec.Struct, frozen=True):
    """An event. audience: None is everybody, empty nobody. reveals: undo stops here (law 2)."""

    text: Text
    audience: frozenset[Seat] | None = frozenset()
    reveals: bool = False


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The end of a match. No winners is a draw.

    points: by seat, for evenings.
    decided_by: things to draw; None means those of the last action.
    how: sentences about them."""

    winners: frozenset[Seat]
    text: Text
    points: tuple[int, ...] = ()
    decided_by: tuple[DrawnThing, ...] | None = None
    how: tuple[Text, ...] = ()
