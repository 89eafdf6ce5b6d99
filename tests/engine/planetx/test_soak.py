"""The long runs: thousands of random matches and hundreds against the opponent end and replay identically."""

from __future__ import annotations

import statistics
from itertools import product

import pytest

from engine import match as matches
from engine.catalogue import complete
from engine.entry import Act, Entry, Start
from engine.planetx.opponent import STRENGTHS
from engine.table import Seat
from referee_simulator.conformance.playouts import encode_value
from tests.engine.planetx.automata import random_match, solo, success, wins
from tests.engine.planetx.tables import GAME, SPEC

SEATS = ("a", "b", "c", "d")


def replays(start: Start, lines: list[tuple[Seat, tuple[str, ...]]], state: object) -> bool:
    """Whether the journal of a match gives the same state again, to the byte."""
    entries: list[Entry] = [start, *(Act(float(k), seat, words) for k, (seat, words) in enumerate(lines, 1))]
    return encode_value(matches.replay(GAME, entries).state) == encode_value(state)


def check_random(mode: str, count: int, seed: int) -> None:
    seats = SEATS[:count]
    state, lines = random_match(mode, seats, seed)
    assert GAME.outcome(state) is not None
    options = dict(complete(SPEC.options, {"mode": mode}))
    assert replays(Start(0.0, "planetx", options, seats, seed), lines, state)


def check_solo(mode: str, strength: str, seed: int) -> int | None:
    state, lines = solo(strength, mode, seed)
    options = dict(complete(SPEC.options, {"mode": mode, "opponent": strength, "level": "genius"}))
    assert replays(Start(0.0, "planetx", options, ("a",), seed), lines, state)
    return success(state).time


@pytest.mark.quick(1)
@pytest.mark.parametrize(("mode", "count"), list(product(("standard", "expert"), (1, 2, 3, 4))))
def test_random_matches_end_and_replay(mode: str, count: int) -> None:
    for seed in range(1):
        check_random(mode, count, seed)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("mode", "count"), list(product(("standard", "expert"), (1, 2, 3, 4))))
def test_two_thousand_random_matches_end_and_replay(mode: str, count: int) -> None:
    for seed in range(250):
        check_random(mode, count, seed)


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["standard", "expert"])
def test_solo_matches_end_and_replay(mode: str) -> None:
    assert check_solo(mode, "astronomer", 1) is not None


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.clause("X71")
@pytest.mark.parametrize(("mode", "matches"), [("standard", 50), ("expert", 17)])
@pytest.mark.parametrize("strength", STRENGTHS)
def test_two_hundred_solo_matches_end_and_replay(mode: str, matches: int, strength: str) -> None:
    found = [check_solo(mode, strength, seed) for seed in range(matches)]
    times = sorted(time for time in found if time is not None)
    assert len(times) >= 0.95 * len(found)
    if mode == "standard":
        assert statistics.median(times) <= 24
        assert times[int(0.95 * len(times)) - 1] <= 36


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.clause("X70")
@pytest.mark.parametrize("mode", ["standard", "expert"])
@pytest.mark.parametrize(("stronger", "weaker"), [("professor", "astronomer"), ("astronomer", "novice")])
def test_each_strength_beats_the_one_below(mode: str, stronger: str, weaker: str) -> None:
    won, lost = wins(stronger, weaker, mode, 60)
    assert won > lost
