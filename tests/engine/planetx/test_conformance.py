"""Planet X passes the suite of all games, in every way that it can be played."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from engine.game import OptionValue
from engine.planetx.match import State
from engine.table import Seat
from tests.engine.conformance import Conformance
from tests.engine.planetx.twins import twin


class PlanetX(Conformance):
    game = "planetx"
    matches = 6
    sampled = 12

    def twin(self, rng: Random, state: State, seat: Seat | None) -> State:
        return twin(rng, state, seat)


class TestTwo(PlanetX):
    options: ClassVar[Mapping[str, OptionValue]] = {"years": 10}


class TestFour(PlanetX):
    seats = ("a", "b", "c", "d")
    options: ClassVar[Mapping[str, OptionValue]] = {"level": "beginner", "years": 5}
    matches = 4
    cap = 800
    pairs = 100


class TestExpert(PlanetX):
    seats = ("a", "b", "c")
    options: ClassVar[Mapping[str, OptionValue]] = {"mode": "expert", "years": 5}
    matches = 3
    cap = 800
    pairs = 100


class TestSolo(PlanetX):
    seats = ("a",)
    options: ClassVar[Mapping[str, OptionValue]] = {"opponent": "professor", "years": 5}
    pairs = 100


class TestTyped(PlanetX):
    seats = ("b", "d")
    options: ClassVar[Mapping[str, OptionValue]] = {"code": "typed", "level": "youth", "years": 5}
    pairs = 100


class TestAids(PlanetX):
    options: ClassVar[Mapping[str, OptionValue]] = {
        "marks": True,
        "consistency": True,
        "possible": True,
        "years": 5,
        "level": "experienced",
    }
    matches = 3
    pairs = 60


class TestAppOnly(PlanetX):
    options: ClassVar[Mapping[str, OptionValue]] = {"app_only": True, "level": "genius"}
    ends = False
    matches = 2
    pairs = 60


class TestCamera(PlanetX):
    seats = ("a", "b", "c")
    options: ClassVar[Mapping[str, OptionValue]] = {"camera": True, "level": "genius", "years": 5}
    matches = 3
    pairs = 60


class TestSoloCamera(PlanetX):
    seats = ("a",)
    options: ClassVar[Mapping[str, OptionValue]] = {"camera": True, "opponent": "novice", "level": "genius", "years": 5}
    matches = 2
    sampled = 3
    pairs = 20
