"""The checks that every game passes (device/conformance): derive a class for each way of playing it.

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
from typing import Any, ClassVar

import pytest

from device.conformance import CHECKS, Play, Way
from device.conformance.checks import Check
from engine.game import OptionValue
from engine.table import Seat

NAMES = [check.__name__ for check in CHECKS]
PAIRS = 20
"""So many twins are enough for a quick run."""


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
    def test_it_conforms(self, check: Check) -> None:
        """On a third of the matches that the class asks for, at a quarter of their moments."""
        suite: Any = type(self)  # mypy takes a class for unhashable
        play = _play(suite, max(1, self.matches // 3), max(2, self.sampled // 4), min(self.pairs, PAIRS))
        assert list(islice(check(play), 3)) == []

    @pytest.mark.soak
    @pytest.mark.parametrize("check", CHECKS, ids=NAMES)
    def test_it_conforms_in_all_it_asks_for(self, check: Check) -> None:
        """What the quick part of it misses is seldom."""
        suite: Any = type(self)
        assert list(islice(check(_play(suite, self.matches, self.sampled, self.pairs)), 3)) == []


@cache
def _play(suite: type[Conformance], matches: int, sampled: int, pairs: int) -> Play:
    """The matches of a class, played once for all its tests."""
    return Play(
        suite.game,
        Way(
            options=suite.options,
            seats=suite.seats,
            matches=matches,
            cap=suite.cap,
            ends=suite.ends,
            seldom=suite.seldom,
            twin=None if suite.twin is Conformance.twin else suite().twin,
            pairs=pairs,
            sampled=sampled,
            lookalikes=suite.lookalikes,
        ),
    )
