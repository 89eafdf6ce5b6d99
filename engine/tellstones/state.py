"""The state of a match of Tellstones: what lies where, whose turn it is, and what is asked of whom."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.table import Face, Seat
from engine.tellstones.actions import Action, At

GOAL = 3
"""Points that win (T3)."""

SPOTS_A_SIDE = 3
"""Places on either side of the first stone, if the mat has seven fixed spots (T18)."""


class Stone(msgspec.Struct, frozen=True, order=True):
    """A stone on the Line: what it really is, and which face is up."""

    kind: str
    face: Face = Face.UP

    @property
    def down(self) -> bool:
        return self.face is Face.DOWN


class Mat(msgspec.Struct, frozen=True):
    """One set of seven stones: its Line from seat a's left to right, and its Pool in alphabetical order (T4, T5, T65).

    left: stones that lie left of the first one, counted only for the seven fixed spots (T18).
    """

    line: tuple[Stone, ...]
    pool: tuple[str, ...]
    left: int = 0


class Rules(msgspec.Struct, frozen=True):
    """The options of the match (config/games/tellstones.toml)."""

    peek_three: str = "two-turns"
    boast_minimum: int = 1
    fixed_spots: bool = False
    declared: bool = False


class Opening(msgspec.Struct, frozen=True, tag="opening"):
    """The first stone of a Line is being chosen (T7)."""


class Ordering(msgspec.Struct, frozen=True, tag="order"):
    """The active player orders an action (T9)."""


class Peeking(msgspec.Struct, frozen=True, tag="peek"):
    """The active player may look at `left` more stones, or stop (T32)."""

    seen: tuple[At, ...]
    left: int


class Challenged(msgspec.Struct, frozen=True, tag="challenge"):
    """The stone must be named (T35)."""

    stone: At


class Boasted(msgspec.Struct, frozen=True, tag="boast"):
    """The boast must be answered: I, II or III (T42)."""


class TakenOver(msgspec.Struct, frozen=True, tag="takeover"):
    """The boast was taken over; the boaster must answer: I or II (T45)."""


class Proving(msgspec.Struct, frozen=True, tag="proof"):
    """Every face-down stone must be named and turned by `side` (T44); `last` did the last one (T61)."""

    side: int
    last: Seat | None = None


class End(StrEnum):
    """Why a match ended."""

    POINTS = "points"  # T3
    PROOF = "proof"  # T46
    MISTAKE = "mistake"  # T47
    RESIGNED = "resigned"


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The match has ended."""

    winner: int
    end: End


Phase: TypeAlias = "Opening | Ordering | Peeking | Challenged | Boasted | TakenOver | Proving | Over"


class Done(msgspec.Struct, frozen=True):
    """The last action, and who ordered it: what the table is told to do."""

    seat: Seat
    action: Action


class State(msgspec.Struct, frozen=True):
    """A match. Seats stand clockwise; the sides are the even and the odd ones (T55).

    score: points by side. turn: counted from 1. scored: the turn in which each side scored last, 0 if never (T30).
    """

    rules: Rules
    seats: tuple[Seat, ...]
    mats: tuple[Mat, ...]
    score: tuple[int, int]
    turn: int
    active: Seat
    scored: tuple[int, int]
    phase: Phase
    last: Done | None = None


def side_of(state: State, seat: Seat) -> int:
    """0 or 1: in the team game partners sit opposite each other (T55)."""
    return state.seats.index(seat) % 2


def left_of(state: State, seat: Seat) -> Seat:
    """The next seat clockwise: the opponent, in the team game the one on the left (T55, T56)."""
    return state.seats[(state.seats.index(seat) + 1) % len(state.seats)]


def partner_of(state: State, seat: Seat) -> Seat:
    """The seat opposite in the team game (T55); in a duel a player is alone."""
    return state.seats[(state.seats.index(seat) + 2) % len(state.seats)]


def is_team(state: State) -> bool:
    return len(state.seats) > 2


def team(state: State, side: int) -> tuple[Seat, ...]:
    """The seats of a side."""
    return state.seats[side::2]


def stone_at(state: State, at: At) -> Stone:
    return state.mats[at.mat].line[at.index]


def stones(state: State) -> Iterator[tuple[At, Stone]]:
    """Every stone on every Line, with its place."""
    for number, mat in enumerate(state.mats):
        for index, stone in enumerate(mat.line):
            yield At(number, index), stone


def hidden(state: State) -> tuple[At, ...]:
    """The places of all face-down stones."""
    return _facing(state, Face.DOWN)


def shown(state: State) -> tuple[At, ...]:
    """The places of all face-up stones on the Lines."""
    return _facing(state, Face.UP)


def _facing(state: State, face: Face) -> tuple[At, ...]:
    return tuple(
        At(number, index)
        for number, mat in enumerate(state.mats)
        for index, stone in enumerate(mat.line)
        if stone.face is face
    )


def may_peek_three(state: State) -> bool:
    """T30, in the team game T59: the other side scored on its own last turn or on the one between.

    T31: "previous-turn" counts only the turn just before, "never" knows no such exception.
    """
    last = state.scored[1 - side_of(state, state.active)]
    window = {"two-turns": 2, "previous-turn": 1}.get(state.rules.peek_three, 0)
    return last > 0 and state.turn - last <= window


def peeks_left(state: State) -> int:
    """How many different face-down stones the active player may still look at in this turn (T29, T30, T32)."""
    if isinstance(state.phase, Peeking):
        return state.phase.left
    return min(3 if may_peek_three(state) else 1, len(hidden(state)))


def ends(state: State, mat: int) -> tuple[int, ...]:
    """Where a stone may be placed on a Line: before the first, after the last (T16), as far as it reaches (T18)."""
    line, left = state.mats[mat].line, state.mats[mat].left
    if not state.rules.fixed_spots:
        return (0, len(line))
    room_left = left < SPOTS_A_SIDE
    room_right = len(line) - 1 - left < SPOTS_A_SIDE
    return (*((0,) if room_left else ()), *((len(line),) if room_right else ()))


def actors(state: State) -> frozenset[Seat]:
    """Who may act now. A challenge or a boast is answered by the opponent on the left (T35, T42, T60)."""
    match state.phase:
        case Opening() | Challenged() | Boasted():
            return frozenset({left_of(state, state.active)})
        case Ordering() | Peeking() | TakenOver():
            return frozenset({state.active})
        case Proving(side, last):
            return frozenset(team(state, side) if last is None else {partner_of(state, last)})
        case Over():
            return frozenset()
