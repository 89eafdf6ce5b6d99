"""The table: zones, layout, and traces of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Protocol

import msgspec

from engine.fence.cards import UNKNOWN, WEAPONS, Weapon, side_name
from engine.table import Arrangement, Face, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text, say

LAST = 10
"""Squares of the strip, from green's end; 0 and 11 are the zones beyond (F2)."""

TRACK = 6

Pair = tuple[int, int]

COLOURS = ("green", "red")

STRIP, BESIDE, TIMER, DISCARD = "strip", "beside", "timer", "discard"
POSITIONS = tuple(Weapon)


class Fencer(msgspec.Struct, frozen=True):
    """A side: 0 is green, first seat, low squares; 1 is red. Start: F12.

    beside: square beside the strip during a Fleche, else 0
    known: certain hand cards, sorted
    lane: cards laid in this phrase
    stalled: its last turn was a Stall"""

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
    """Sizes of the timer deck and the cards aside, and the discards, oldest first ("?": unseen)."""

    timer: int
    aside: int
    discards: tuple[str, ...] = ()


class TableState(Protocol):
    @property
    def fencers(self) -> tuple[Fencer, Fencer]: ...

    @property
    def piles(self) -> Piles: ...


def lane(side: int) -> str:
    return f"lane-{COLOURS[side]}"


def weapon(side: int) -> str:
    return f"weapon-{COLOURS[side]}"


def track(side: int) -> str:
    return f"stamina-{COLOURS[side]}"


# --- names of cells, for displays and records

_SIDES = (side_name(0), side_name(1))

SQUARES = (
    say("the zone behind {side}", side=_SIDES[0]),
    *(say("square {square}", square=square) for square in range(1, LAST + 1)),
    say("the zone behind {side}", side=_SIDES[1]),
)

BESIDE_SQUARES = tuple(say("beside {square}", square=square) for square in SQUARES)

POSITION_NAMES = tuple(
    tuple(say("{position} ({side})", position=WEAPONS[each], side=side) for each in Weapon) for side in _SIDES
)

POINT_NAMES = tuple(
    tuple(say("stamina {points} of {side}", points=points, side=side) for points in range(TRACK + 1)) for side in _SIDES
)


def marker_put(side: int, points: int) -> Text:
    return say("The stamina marker of {side} went to {points}.", side=side_name(side), points=points)


def marker_left(side: int) -> Text:
    return say("{side}'s stamina marker was not moved.", side=side_name(side))


# --- what it shows


def layout(table: TableState) -> Layout:
    """Return the layout, without the discards while their top is unknown and may show anything."""
    pair = (0, 1)
    timer = (Piece(None, Face.DOWN),) if table.piles.timer else ()
    top = tuple(Piece(name) for name in table.piles.discards[-1:])
    discards = () if top == (Piece(UNKNOWN),) else (ZoneLayout(DISCARD, Arrangement.PILE, top),)
    return Layout(
        (
            *_figures(*((fencer.square, fencer.beside) for fencer in table.fencers)),
            *(_lane(side, table.fencers[side].lane) for side in pair),
            *(_weapon(side, table.fencers[side].weapon) for side in pair),
            *(_stamina(side, table.fencers[side].stamina) for side in pair),
            ZoneLayout(TIMER, Arrangement.PILE, timer, open=True),
            *discards,
        )
    )


# Cached: the arbiter compares hundreds of layouts that differ in few zones.


@cache
def _figures(*places: Pair) -> tuple[ZoneLayout, ZoneLayout]:
    strip: list[Piece | None] = [None] * (LAST + 2)
    off_strip = list(strip)
    for colour, (square, beside) in zip(COLOURS, places, strict=True):
        (off_strip if beside else strip)[beside or square] = Piece(colour)
    return (
        ZoneLayout(STRIP, Arrangement.CELLS, tuple(strip), places=SQUARES),
        ZoneLayout(BESIDE, Arrangement.CELLS, tuple(off_strip), places=BESIDE_SQUARES),
    )


@lru_cache(256)
def _lane(side: int, cards: tuple[str, ...]) -> ZoneLayout:
    return ZoneLayout(lane(side), Arrangement.AREA, tuple(Piece(name) for name in sorted(cards)))


@cache
def _weapon(side: int, held: Weapon) -> ZoneLayout:
    marker = Piece(f"{COLOURS[side]}-weapon")
    cells = tuple(marker if each is held else None for each in POSITIONS)
    return ZoneLayout(weapon(side), Arrangement.CELLS, cells, places=POSITION_NAMES[side])


@cache
def _stamina(side: int, points: int) -> ZoneLayout:
    marker = Piece(f"{COLOURS[side]}-stamina")
    cells = tuple(marker if n == points else None for n in range(TRACK + 1))
    return ZoneLayout(track(side), Arrangement.CELLS, cells, places=POINT_NAMES[side])


# --- what a camera sees


def difference(
    before: TableState, after: TableState, hands: frozenset[Seat] = frozenset(), declared: bool = False
) -> Trace:
    target = layout(after)
    moves = (*_markers(before, after), *_laid_and_taken(before, after))
    return Trace(target, moves=tuple(sorted(moves, key=str)), hands=hands, declared=declared)


def _markers(before: TableState, after: TableState) -> Iterator[Move]:
    for side, (old, new) in enumerate(zip(before.fencers, after.fencers, strict=True)):
        if old is new:
            continue
        for source, target in zip(_spots(side, old), _spots(side, new), strict=True):
            if source != target:
                yield Move(source, target)


def _spots(side: int, fencer: Fencer) -> tuple[Spot, Spot, Spot]:
    return stands(fencer), Spot(track(side), fencer.stamina), shows(side, fencer)


def stands(fencer: Fencer) -> Spot:
    return Spot(BESIDE if fencer.beside else STRIP, fencer.beside or fencer.square)


def shows(side: int, fencer: Fencer) -> Spot:
    return Spot(weapon(side), POSITIONS.index(fencer.weapon))


def _laid_and_taken(before: TableState, after: TableState) -> Iterator[Move]:
    old, new = before.piles.discards, after.piles.discards
    arrived = new[-1] if len(new) > len(old) and new[-1] != UNKNOWN else None
    for side in (0, 1):
        if before.fencers[side].lane == after.fencers[side].lane:
            continue
        was, now = sorted(before.fencers[side].lane), sorted(after.fencers[side].lane)
        for index in _extra(now, was):
            yield Move(None, Spot(lane(side), index))
        for index in _extra(was, now):
            if was[index] == arrived:
                yield Move(Spot(lane(side), index), Spot(DISCARD, 0))
                arrived = None
            else:
                yield Move(Spot(lane(side), index), None)
    if arrived is not None:
        yield Move(None, Spot(DISCARD, 0))
    if old and old[-1] != UNKNOWN and not new:
        yield Move(Spot(DISCARD, 0), None)


def _extra(cards: list[str], others: list[str]) -> Iterator[int]:
    left = Counter(others)
    for index, card in enumerate(cards):
        if left[card]:
            left[card] -= 1
        else:
            yield index
