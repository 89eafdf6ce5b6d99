"""Card games with real hands beside the match, and ideal eyes: nothing honest is doubted, cheats are caught."""

from __future__ import annotations

import pytest

from device.sim.run import Plan, simulate
from device.sim.tally import Result
from engine.errors import Invalid


def result(game: str, cheat_rate: float, matches: int = 1, seats: int = 2) -> Result:
    plan = Plan(game, matches, seed=3, cheat_rate=cheat_rate, seats=seats, jobs=1, ideal=True, options={})
    return simulate(plan)


@pytest.mark.parametrize(("game", "seats"), [("fence", 2), ("runes", 2), ("runes", 3)])
def test_hands_are_real_and_nothing_honest_is_doubted(game: str, seats: int) -> None:
    figures = result(game, 0.15, seats=seats)
    assert figures.actions > 20
    assert (figures.verdicts.wrong, figures.false_accusations, figures.details.stuck) == (0, 0, 0), (
        figures.details.notes
    )
    assert figures.cheats.visible == figures.cheats.caught >= 1


def test_a_mode_that_is_not_there_is_refused() -> None:
    with pytest.raises(Invalid):
        simulate(Plan("fence", mode="sabre", ideal=True, jobs=1))
