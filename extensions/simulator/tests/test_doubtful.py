"""Matches under eyes that cover, forget, hesitate and look too early: nothing wrong, nobody accused, nothing stuck."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from extensions.simulator.tests.doubtful import Doubtful, Doubts
from referee_simulator.harness.plan import Eyes, Plan, matches_of
from referee_simulator.harness.run import play
from referee_simulator.judge.tally import Tally

STRONG = (
    Doubts(covered=0.1, early=0.5),
    Doubts(unknown=0.08, handless=0.1),
    Doubts(late=0.15),
    Doubts(gone=0.02, blank=0.03, ghost=0.1),
    Doubts(phantom=0.03, unseen=0.03, stale=0.05, unknown=0.03, again=0.7),
)
LONG = {"tellstones": 10, "planetx": 2, "fence": 4, "runes": 4}


def played(folder: Path, game: str, seats: int | None, doubts: Doubts, matches: int, seed: int) -> Tally:
    total = Tally()
    plan = Plan(game, matches, seed=seed, cheat_rate=0.1, seats=seats, jobs=1, eyes=Eyes.IDEAL, options={})
    for planned in matches_of(plan, folder):
        total.merge(play(planned, partial(Doubtful, doubts=doubts, seed=planned.seed)).tally)
    return total


def sound(total: Tally) -> bool:
    """What is badly seen may let a cheat pass now and then, but nothing honest may go wrong."""
    missed = total.cheats().missed
    wrong = total.worth["wrong"] - missed, total.accusations, total.stuck, total.mismatches.total()
    return wrong == (0, 0, 0, 0) and missed * 20 <= total.cheats().visible


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", range(len(STRONG)))
def test_a_short_match_that_is_badly_seen_is_judged_rightly(tmp_path: Path, number: int) -> None:
    total = played(tmp_path, "tellstones", 2, STRONG[number], 1, 7 + number)
    assert sound(total), total.notes
    assert total.actions >= 3


@pytest.mark.soak
@pytest.mark.parametrize("number", range(len(STRONG)))
@pytest.mark.parametrize("game", LONG)
def test_matches_that_are_badly_seen_are_judged_rightly(tmp_path: Path, game: str, number: int) -> None:
    total = played(tmp_path, game, 2 if game == "tellstones" else None, STRONG[number], LONG[game], 50)
    assert sound(total), total.notes
    assert total.actions > 60
