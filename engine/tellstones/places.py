"""Places in words, on the table and in sentences: `3` on a single Line, `A3` and `B3` on two (T16, T65)."""

from __future__ import annotations

from engine.table import Spot
from engine.tellstones.actions import At, Target
from engine.tellstones.state import State, stone_at
from engine.tellstones.stones import NAMES
from engine.text import Text, say

LETTERS = ("A", "B")


def line_zone(state: State, mat: int) -> str:
    """The name of a Line's zone: "line", or "line-a" and "line-b"."""
    return "line" if len(state.mats) == 1 else ("line-a", "line-b")[mat]


def pool_zone(state: State, mat: int) -> str:
    """The name of a Pool's zone: "pool", or "pool-a" and "pool-b"."""
    return "pool" if len(state.mats) == 1 else ("pool-a", "pool-b")[mat]


def line_spot(state: State, at: At) -> Spot:
    return Spot(line_zone(state, at.mat), at.index)


def pool_spot(state: State, mat: int, kind: str) -> Spot:
    return Spot(pool_zone(state, mat), state.mats[mat].pool.index(kind))


def place_word(state: State, at: At) -> str:
    """How a place is written."""
    number = str(at.index + 1)
    return number if len(state.mats) == 1 else LETTERS[at.mat] + number


def stone_word(state: State, stone: Target) -> str:
    """How a stone is written: by its name if it lies face up on the only Line, else by its place (T54)."""
    if not isinstance(stone, At):
        return stone.kind
    found = stone_at(state, stone)
    return found.kind if not found.down and len(state.mats) == 1 else place_word(state, stone)


def stone_text(state: State, at: At) -> Text:
    """How a stone is called in a menu: its name only if it lies face up (T54)."""
    stone, place = stone_at(state, at), place_word(state, at)
    if stone.down:
        return say("Stone {place}", place=place)
    return say("{place}: {stone}", place=place, stone=NAMES[stone.kind])
