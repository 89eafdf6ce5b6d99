"""The state of a match: all that a referee can know, who sees what lies on the table but no hand.

Sides are numbers: 0 is green, sits at the first seat and stands at the low squares; 1 is red.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.fence.cards import Weapon
from engine.fence.deck import Face
from engine.fence.phrase.state import Phrase
from engine.fence.rules import TRACK, Rules
from engine.table import Seat

LAST = 10
"""Squares of the strip, numbered from green's end (F2); 0 and 11 are the zones beyond."""

Pair = tuple[int, int]
"""A number for green and one for red."""


class Fencer(msgspec.Struct, frozen=True):
    """One side.

    beside: where the figure stands off the strip in a Fleche (F151), 0 otherwise. hand: cards in it. known: faces that
    are certainly among them, sorted. lane: cards laid in this phrase. stalled: the last own game turn was a Stall.
    """

    square: int
    weapon: Weapon = Weapon.LINE
    stamina: int = TRACK
    score: int = 0
    hand: int = 0
    known: tuple[str, ...] = ()
    lane: tuple[str, ...] = ()
    beside: int = 0
    stalled: bool = False


class Piles(msgspec.Struct, frozen=True):
    """Cards outside hands and lanes: how many in the timer deck and set aside, and the discards, oldest first ("?")."""

    timer: int
    aside: int
    discards: tuple[str, ...] = ()


class Stage(StrEnum):
    """What a touch and the end of time mean."""

    BOUT = "bout"
    LAST_HANDS = "last-hands"  # F58
    OVERTIME = "overtime"  # F99


class Dealing(msgspec.Struct, frozen=True, tag="dealing"):
    """These sides may still demand a new hand (F14)."""

    asked: tuple[int, ...]


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """The active player's game turn: the actions done so far, by verb.

    exchanged: a card was exchanged in this turn. fresh: a Retreat was just made, so an exchange is part of it (F127).
    """

    done: tuple[str, ...] = ()
    exchanged: bool = False
    fresh: bool = False


class Offering(msgspec.Struct, frozen=True, tag="offering"):
    """After a turn without a phrase the active player may give up a card (F26); full: both game actions were used."""

    full: bool = False


class Proposed(msgspec.Struct, frozen=True, tag="proposed"):
    """The opponent of the active player, whose turn goes on after it, answers whether F105 shall hold."""

    turn: Turn


class Clearing(msgspec.Struct, frozen=True, tag="clearing"):
    """The table must be put in order: `reason` is "phrase", "out", "retreat", "period" or "overtime".

    "retreat": out by a Retreat, whose exchange can still be made.
    touches: points that were given. phrase: what was fenced. void: it was a double touch that does not count (F56).
    """

    reason: str
    touches: Pair = (0, 0)
    phrase: Phrase | None = None
    void: bool = False


class Tossing(msgspec.Struct, frozen=True, tag="tossing"):
    """A coin was tossed by the players, and the active one says for whom it fell.

    reason: "priority", or "passivity" if hands are level.
    """

    reason: str


class Finish(StrEnum):
    """Why a match ended."""

    POINTS = "points"  # F57, F95, F97
    TIME = "time"  # F57, F95, F97
    TOUCH = "touch"  # F58, F102
    PRIORITY = "priority"  # F103
    NO_CARDS = "no-cards"  # F58
    PASSIVE = "passive"  # F105
    RESIGNED = "resigned"


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The match has ended."""

    winner: int
    finish: Finish


Phase: TypeAlias = "Dealing | Turn | Offering | Proposed | Phrase | Clearing | Tossing | Over"


class State(msgspec.Struct, frozen=True):
    """A match.

    pool: the faces of the mode's deck by name. seed: for the coin tosses. active: the side whose game turn it is.
    priority: the side that has it in overtime. still: game turns in a row in which nothing happened (F105).
    offered: `still` at which the passivity rule is next offered. emptied: sides in the order in which their hands ran
    out (F58). passivity: the number of still turns that costs a timer card, 0 for no such rule.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    seed: int
    pool: dict[str, Face]
    fencers: tuple[Fencer, Fencer]
    piles: Piles
    active: int
    phase: Phase
    passivity: int
    stage: Stage = Stage.BOUT
    period: int = 1
    priority: int | None = None
    still: int = 0
    offered: int = 0
    emptied: tuple[int, ...] = ()
    turn: int = 1


def side_of(state: State, seat: Seat) -> int:
    """0 for green, 1 for red. Raises ValueError for a seat that does not play."""
    return state.seats.index(seat)


def gap(state: State) -> int:
    """Empty squares between the fencers (F13)."""
    return state.fencers[1].square - state.fencers[0].square - 1


def ahead(side: int) -> int:
    """The direction in which a side goes forward."""
    return 1 if side == 0 else -1


def home(rules: Rules, side: int) -> int:
    """The on-guard square (F13)."""
    inner = rules.start_gap // 2
    return LAST // 2 - inner if side == 0 else LAST // 2 + 1 + inner


def with_fencer(state: State, side: int, fencer: Fencer) -> State:
    """The state with another fencer on a side."""
    green, red = state.fencers
    return msgspec.structs.replace(state, fencers=(fencer, red) if side == 0 else (green, fencer))


def off(square: int) -> bool:
    """Out of bounds (F53)."""
    return not 1 <= square <= LAST


def asked(state: State) -> tuple[int, ...]:
    """The sides that may act now."""
    match state.phase:
        case Dealing(sides):
            return sides
        case Turn() | Offering() | Clearing() | Tossing():
            return (state.active,)
        case Proposed():
            return (1 - state.active,)
        case Phrase() as phrase:
            return (phrase.turn,)
        case Over():
            return ()


def actors(state: State) -> frozenset[Seat]:
    """The seats that may act now."""
    return frozenset(state.seats[side] for side in asked(state))
