"""What may be shown: views, panels and events. Data only; a display decides how they look, a language how they read."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Seat
from engine.text import Text

Json: TypeAlias = "bool | int | float | str | tuple[Json, ...] | dict[str, Json] | None"


class Line(msgspec.Struct, frozen=True, tag="line"):
    """A line of text; `strong` lines are drawn inverted."""

    text: Text
    strong: bool = False


class Glyphs(msgspec.Struct, frozen=True, tag="glyphs"):
    """A row of small pictures, by sprite name (`config/sprites`), each with an optional caption under it.

    label: what the row is. Empty name: a gap. The names "down" (a face-down piece) and "unknown" exist in every set.
    """

    label: Text
    names: tuple[str, ...]
    captions: tuple[str, ...] = ()
    marked: frozenset[int] = frozenset()


class Gauge(msgspec.Struct, frozen=True, tag="gauge"):
    """A number out of a maximum, drawn as a bar. label: what is counted: stamina, life, cards left."""

    label: Text
    value: int
    maximum: int


class Score(msgspec.Struct, frozen=True, tag="score"):
    """A number a seat or team, in a fixed order. label: what is counted; `to` is what wins, if anything does."""

    label: Text
    entries: tuple[tuple[str | Text, int], ...]
    to: int | None = None


class Ring(msgspec.Struct, frozen=True, tag="ring"):
    """Numbered sectors on a circle, clockwise from 1: a letter or sprite each, the players that stand there, and
    a lit arc.

    label: what the circle is, and in words whose marks stand where: a small display has no room for them at the circle.
    words: what each cell shows, for who cannot see it; none: its letter says it.
    """

    label: Text
    cells: tuple[str, ...]
    lit: frozenset[int] = frozenset()
    marks: tuple[tuple[int, str | Text], ...] = ()
    words: tuple[Text, ...] = ()


class Cells(msgspec.Struct, frozen=True, tag="cells"):
    """A strip of squares: what stands on each ("" for nothing), and the numbers under them (none: from 1 on).

    label: what the strip is.
    """

    label: Text
    cells: tuple[str | Text, ...]
    numbers: tuple[str, ...] = ()


Panel: TypeAlias = Line | Glyphs | Gauge | Score | Ring | Cells


class View(msgspec.Struct, frozen=True):
    """All that one audience may know.

    facts: the same as plain data, what `referee replay --json` prints.
    panels: what a display shows, the most important first.
    prompt: what this audience is asked or told now, in one line.
    """

    facts: dict[str, Json]
    panels: tuple[Panel, ...]
    prompt: Text | None = None


def heard_by(audience: frozenset[Seat] | None, seat: Seat | None) -> bool:
    """Return True if a seat hears what is told to an audience (None: everybody). A spectator (None) hears what
    everybody hears."""
    return audience is None or (seat is not None and seat in audience)


class Event(msgspec.Struct, frozen=True):
    """Something that happened, for an audience.

    audience: seats that may read it; None means everybody at the table. An empty set means nobody.
    reveals: somebody learned something that cannot be unlearned: undo stops here (law 2).
    """

    text: Text
    audience: frozenset[Seat] | None = frozenset()
    reveals: bool = False


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a match ended. No winners: a draw. points: of each seat, in the order of the match's seats, if an
    evening of several matches counts them."""

    winners: frozenset[Seat]
    text: Text
    points: tuple[int, ...] = ()
