"""The stones and their places: Lines and Pools, in words and on the table (T2, T4, T65)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from engine.game import per_state
from engine.table import Arrangement, Face, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text, say

KINDS: tuple[str, ...] = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")

NAMES: dict[str, Text] = {
    "crown": say("Crown"),
    "shield": say("Shield"),
    "sword": say("Sword"),
    "flag": say("Flag"),
    "knight": say("Knight"),
    "hammer": say("Hammer"),
    "scales": say("Scales"),
}

DOWN = "down"

LETTERS = ("A", "B")


_DOWN = Face.DOWN


class Stone(msgspec.Struct, frozen=True, order=True):
    kind: str
    face: Face = Face.UP

    @property
    def down(self) -> bool:
        return self.face is _DOWN


class StoneSet(msgspec.Struct, frozen=True):
    """A set of seven stones (T2): Line from seat a's left, Pool in alphabetical order. left: stones left of the one
    placed first."""

    line: tuple[Stone, ...]
    pool: tuple[str, ...]
    left: int = 0

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(DOWN if stone.down else stone.kind for stone in self.line)

    def without(self, kind: str) -> tuple[str, ...]:
        return tuple(other for other in self.pool if other != kind)


Mats: TypeAlias = "tuple[StoneSet, ...]"
"""One mat, or two that never mix."""


class At(msgspec.Struct, frozen=True, order=True, tag="at"):
    """A place: mat number, and 0-based place from seat a's left."""

    mat: int
    index: int


_PLACES = tuple(tuple(At(mat, index) for index in range(len(KINDS) + 1)) for mat in range(len(LETTERS)))


# --- what lies where


def stone_at(mats: Mats, at: At) -> Stone:
    return mats[at.mat].line[at.index]


def places(mats: Mats, number: int, start: int = 0) -> tuple[At, ...]:
    return _PLACES[number][start : len(mats[number].line)]


def stones(mats: Mats) -> Iterator[tuple[At, Stone]]:
    for places_of, mat in zip(_PLACES, mats, strict=False):
        yield from zip(places_of, mat.line, strict=False)


def hidden_spots(mats: Mats) -> tuple[At, ...]:
    return _known(mats)[0]


def shown_spots(mats: Mats) -> tuple[At, ...]:
    return _known(mats)[1]


def _faces(mats: Mats) -> tuple[tuple[At, ...], tuple[At, ...]]:
    down: list[At] = []
    up: list[At] = []
    for number, mat in enumerate(mats):
        for at, stone in zip(_PLACES[number], mat.line, strict=False):
            (down if stone.face is _DOWN else up).append(at)
    return tuple(down), tuple(up)


_known = per_state(_faces)


# --- what changes


def put(mats: Mats, number: int, mat: StoneSet) -> Mats:
    return (*mats[:number], mat, *mats[number + 1 :])


def turn_stone(mats: Mats, at: At, face: Face) -> Mats:
    line = list(mats[at.mat].line)
    line[at.index] = replace(line[at.index], face=face)
    return put(mats, at.mat, replace(mats[at.mat], line=tuple(line)))


# --- places in words


def place_word(mats: Mats, at: At) -> str:
    """Return a place in notation: `3`, or `A3` and `B3` with two Lines."""
    return _WRITTEN[len(mats) - 1][at.mat][at.index]


def stone_text(mats: Mats, at: At) -> Text:
    stone = stone_at(mats, at)
    return _text(place_word(mats, at), None if stone.down else stone.kind)


@cache
def _text(place: str, kind: str | None) -> Text:
    if kind is None:
        return say("Stone {place}", place=place)
    return say("{place}: {stone}", place=place, stone=NAMES[kind])


_NUMBERS = tuple(map(str, range(1, len(KINDS) + 2)))
_WRITTEN = ((_NUMBERS,), tuple(tuple(letter + number for number in _NUMBERS) for letter in LETTERS))


# --- places on the table


def line_zone(mats: Mats, number: int) -> str:
    return "line" if len(mats) == 1 else ("line-a", "line-b")[number]


def pool_zone(mats: Mats, number: int) -> str:
    return "pool" if len(mats) == 1 else ("pool-a", "pool-b")[number]


def line_spot(mats: Mats, at: At) -> Spot:
    return Spot(line_zone(mats, at.mat), at.index)


def pool_spot(mats: Mats, number: int, kind: str) -> Spot:
    return Spot(pool_zone(mats, number), mats[number].pool.index(kind))


def swap_moves(one: Spot, two: Spot) -> tuple[Move, ...]:
    return Move(one, two), Move(two, one)


def layout(mats: Mats) -> Layout:
    zones: list[ZoneLayout] = []
    for number, mat in enumerate(mats):
        zones.append(ZoneLayout(line_zone(mats, number), Arrangement.ROW, tuple(map(_piece, mat.line))))
        zones.append(pool_layout(pool_zone(mats, number), tuple(map(Piece, mat.pool))))
    return Layout(tuple(zones))


def _piece(stone: Stone) -> Piece:
    return Piece(None, Face.DOWN) if stone.down else Piece(stone.kind)


def pool_layout(zone: str, pieces: tuple[Piece, ...]) -> ZoneLayout:
    listed: list[Piece] = sorted(pieces, key=_by_kind)
    return ZoneLayout(zone, Arrangement.AREA, tuple(listed))


def _by_kind(piece: Piece) -> tuple[str, Face]:
    return piece.kind or "", piece.face


def turned_up(mats: Mats, at: At, hands: frozenset[Seat]) -> Trace:
    return Trace(layout(turn_stone(mats, at, Face.UP)), turned=frozenset({line_spot(mats, at)}), hands=hands)
