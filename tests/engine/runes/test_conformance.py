"""Dueling Runes passes the suite of all games, with two, three and four wizards, and alone."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from engine.game import OptionValue
from engine.runes.match import State
from engine.table import Seat
from tests.engine.conformance import Conformance
from tests.engine.runes.twins import twin


class Runes(Conformance):
    game = "runes"
    matches = 6
    cap = 3000
    sampled = 24
    seldom = frozenset({"excuse", "counter", "mirror", "withdraw"})

    def twin(self, rng: Random, state: State, seat: Seat | None) -> State:
        return twin(rng, state, seat)


class TestDuel(Runes):
    pass


class TestThree(Runes):
    seats = ("a", "b", "c")
    matches = 3
    pairs = 300
    options: ClassVar[Mapping[str, OptionValue]] = {"life_a": 6, "life_counter": "own"}


class TestFour(Runes):
    seats = ("a", "b", "c", "d")
    matches = 2
    cap = 8000
    pairs = 300
    options: ClassVar[Mapping[str, OptionValue]] = {f"life_{seat}": 4 for seat in "abcd"}


class TestSolo(Runes):
    seats = ("a",)
    options: ClassVar[Mapping[str, OptionValue]] = {"opponent": "automatic"}
    pairs = 300


class TestOtherRulings(Runes):
    """All spells chosen in secret at the reveal, special spells at any time, whole hands paid for them."""

    options: ClassVar[Mapping[str, OptionValue]] = {
        "decision": "at-reveal",
        "counter_times": "always",
        "payment": "counted",
        "mirror_self": "allowed",
        "dead_spells": "resolve",
        **{f"life_{seat}": 4 for seat in "abc"},
    }
    seats = ("a", "b", "c")
    matches = 2
    sampled = 10
    pairs = 500
