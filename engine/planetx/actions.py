"""What can be done in a match, as data (X13, X30-X36, X50-X52, X60)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Code(msgspec.Struct, frozen=True, tag="code"):
    """The game's code is typed (X12)."""

    code: str


class Level(msgspec.Struct, frozen=True, tag="level"):
    """A level of starting facts is chosen (X13)."""

    level: str


class Survey(msgspec.Struct, frozen=True, tag="survey"):
    """How many of `kind` are in the sectors from `first` clockwise to `last`? (X31)"""

    kind: str
    first: int
    last: int


class Target(msgspec.Struct, frozen=True, tag="target"):
    """What is in this sector? (X33)"""

    sector: int


class Research(msgspec.Struct, frozen=True, tag="research"):
    """What is known of this topic? (X34)"""

    topic: str


class Locate(msgspec.Struct, frozen=True, tag="locate"):
    """Planet X is in `sector`, `before` in the sector counter-clockwise of it, `after` in the one clockwise (X35)."""

    sector: int
    before: str
    after: str


class Pledge(msgspec.Struct, frozen=True, tag="theories"):
    """How many theories will be submitted (X50)."""

    count: int


class Submit(msgspec.Struct, frozen=True, tag="submit"):
    """A token is placed face down (X51)."""

    sector: int
    kind: str


class Pass(msgspec.Struct, frozen=True, tag="pass"):
    """No theories (X50), or no more of the last move (X60)."""


class Confer(msgspec.Struct, frozen=True, tag="conference"):
    """A conference's fact is asked for; only where the players keep the track (X25)."""

    name: str


class Review(msgspec.Struct, frozen=True, tag="review"):
    """A theory is reviewed; only where the players keep the tokens (X54)."""

    sector: int
    kind: str


class Reveal(msgspec.Struct, frozen=True, tag="reveal"):
    """All is revealed; only where the players keep score (X62)."""


class Mark(msgspec.Struct, frozen=True, tag="mark"):
    """A player's own note: this is, or is not, in the sector."""

    sector: int
    kind: str
    holds: bool


class Unmark(msgspec.Struct, frozen=True, tag="unmark"):
    """The player's last note is taken back."""


Turn: TypeAlias = "Survey | Target | Research | Locate"
Action: TypeAlias = "Code | Level | Turn | Pledge | Submit | Pass | Confer | Review | Reveal | Mark | Unmark"

ASKING = (Survey, Target, Research, Locate)
"""The four actions of a turn (X21)."""


def cost(action: Action, sectors: int) -> int:
    """What an action costs in time, in a sky of so many sectors (X31, X33, X34, X35)."""
    match action:
        case Survey(_, first, last):
            return survey_cost((last - first) % sectors + 1)
        case Target():
            return 4
        case Research():
            return 1
        case Locate():
            return 5
        case _:
            return 0


def survey_cost(length: int) -> int:
    """What a survey of so many sectors costs: 4 for 1..3, 3 for 4..6, 2 for 7..9 (X31)."""
    return 4 - (length - 1) // 3
