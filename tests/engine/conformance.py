"""The checks that every game passes (referee_simulator.conformance): derive a class for each way of playing it.

class TestDuel(Conformance):
    game = "tellstones"
    options = {"first_stone": "scales"}
    seats = ("a", "b")

    def twin(self, rng, state, seat): ...   # another state that differs only in what `seat` must not know
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from random import Random
from typing import Any, ClassVar, NamedTuple

import pytest

from engine.game import OptionValue
from engine.table import Seat
from referee_simulator.conformance import CHECKS, Play, Way
from referee_simulator.conformance.checks import Check

NAMES = [check.__name__ for check in CHECKS]


class Depth(NamedTuple):
    """How much a run looks at of what a class asks for: one in so many of its matches and of its moments.

    pairs: so many twins are enough, or as many as it asks for.
    """

    matches: int
    sampled: int
    pairs: int | None


DEPTHS = [
    pytest.param(Depth(6, 8, 5), id="quick"),
    pytest.param(Depth(3, 4, 20), id="thorough", marks=pytest.mark.thorough),
    pytest.param(Depth(1, 1, None), id="soak", marks=pytest.mark.soak),
]


class Conformance:
    """Class attributes say how the game is played: see `Way`."""

    game: ClassVar[str]
    options: ClassVar[Mapping[str, OptionValue]] = {}
    seats: ClassVar[tuple[Seat, ...]] = ("a", "b")
    matches: ClassVar[int] = 20
    cap: ClassVar[int] = 400
    ends: ClassVar[bool] = True
    seldom: ClassVar[frozenset[str]] = frozenset()
    pairs: ClassVar[int] = 1000
    sampled: ClassVar[int] = 60
    lookalikes: ClassVar[frozenset[frozenset[str]]] = frozenset()

    def twin(self, rng: Random, state: Any, seat: Seat | None) -> Any:
        """Another state that differs only in what `seat` must not know."""
        raise NotImplementedError

    @pytest.mark.parametrize("check", CHECKS, ids=NAMES)
    @pytest.mark.parametrize("depth", DEPTHS)
    def test_it_conforms(self, check: Check, depth: Depth) -> None:
        """What a part of it misses is seldom."""
        suite: Any = type(self)  # mypy takes a class for unhashable
        assert list(islice(check(_play(suite, depth)), 3)) == []


@cache
def _play(suite: type[Conformance], depth: Depth) -> Play:
    """The matches of a class, played once for all its tests of a depth."""
    return Play(
        suite.game,
        Way(
            options=suite.options,
            seats=suite.seats,
            matches=max(1, suite.matches // depth.matches),
            cap=suite.cap,
            ends=suite.ends,
            seldom=suite.seldom,
            twin=None if suite.twin is Conformance.twin else suite().twin,
            pairs=suite.pairs if depth.pairs is None else min(suite.pairs, depth.pairs),
            sampled=max(2, suite.sampled // depth.sampled),
            lookalikes=suite.lookalikes,
        ),
    )
