"""Random matches end and replay identically: a hundred here, thousands in the soak."""

from __future__ import annotations

import pytest

from engine import match as matches
from engine.catalogue import complete
from engine.entry import Act, Entry, Start
from referee_simulator.conformance.playouts import encode_value
from tests.engine.runes.tables import honest_match
from tests.engine.runes.turns import GAME, SPEC

SEATS = ("a", "ab", "abc", "abcd")


def check(seats: str, seed: int, **given: int) -> None:
    """One match with real cards: it ends, and its journal gives the same state again, to the byte."""
    state, lines = honest_match(seats, seed, **given)
    assert GAME.outcome(state) is not None
    solo = {"opponent": "automatic"} if len(seats) == 1 else {}
    options = dict(complete(SPEC.options, {**solo, **given}))
    entries: list[Entry] = [Start(0.0, "runes", options, tuple(seats), seed)]
    entries += [Act(float(k), seat, words) for k, (seat, words) in enumerate(lines, 1)]
    assert encode_value(matches.replay(GAME, entries).state) == encode_value(state)


@pytest.mark.quick(1)
@pytest.mark.parametrize("seats", SEATS)
def test_short_matches_end_and_replay(seats: str) -> None:
    for seed in range(5):
        check(seats, seed, **{f"life_{seat}": 1 for seat in seats})


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seats", SEATS)
def test_five_thousand_matches_end_and_replay(seats: str) -> None:
    for seed in range(1250):
        check(seats, seed, **{f"life_{seat}": 1 + seed % 12 for seat in seats})
