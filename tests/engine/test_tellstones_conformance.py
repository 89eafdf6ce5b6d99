"""Tellstones passes the suite of all games, in every way that it can be played."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from msgspec.structs import replace

from engine.game import OptionValue
from engine.table import Seat
from engine.tellstones.line import StoneSet
from engine.tellstones.match import State
from tests.engine.conformance import Conformance


class Tellstones(Conformance):
    game = "tellstones"
    seldom = frozenset({"boast", "prove"})

    def twin(self, rng: Random, state: State, seat: Seat | None) -> State:
        """The face-down stones of each Line, shuffled: nobody may tell the difference (T54)."""
        return replace(state, mats=tuple(shuffled(rng, mat) for mat in state.mats))


def shuffled(rng: Random, mat: StoneSet) -> StoneSet:
    kinds = [stone.kind for stone in mat.line if stone.down]
    rng.shuffle(kinds)
    rest = iter(kinds)
    return replace(mat, line=tuple(replace(s, kind=next(rest)) if s.down else s for s in mat.line))


class TestDuel(Tellstones):
    pass


class TestDuelDeclared(Tellstones):
    options: ClassVar[Mapping[str, OptionValue]] = {
        "orders": "declared",
        "boast_minimum": 2,
        "fixed_spots": True,
        "starter": "b",
        "first_stone": "scales",
    }
    pairs = 200


class TestTeams(Tellstones):
    options: ClassVar[Mapping[str, OptionValue]] = {
        "starter": "coin",
        "first_stone": "chosen",
        "peek_three": "previous-turn",
    }
    seats = ("a", "b", "c", "d")


class TestTwoLines(Tellstones):
    options: ClassVar[Mapping[str, OptionValue]] = {"mode": "two-line", "first_stone": "chosen", "starter": "elder"}
    sampled = 24
