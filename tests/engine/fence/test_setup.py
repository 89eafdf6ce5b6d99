"""Before the first action: squares, hands, timer, mulligan, formats."""

from __future__ import annotations

import pytest

from engine.errors import Invalid
from engine.fence.bout import Turn, gap
from engine.fence.cards import Weapon
from engine.fence.table import Piles
from tests.engine.fence.bouts import broken, fresh, hands, legal, menu, play, refused, scores, squares, stamina


@pytest.mark.clause("F2", "F12", "F13", "F64")
def test_fencers_start_on_guard() -> None:
    state = fresh()
    assert squares(state) == (4, 7)
    assert gap(state) == 2
    assert stamina(state) == (6, 6)
    assert scores(state) == (0, 0)
    assert state.period == 1
    assert {fencer.weapon for fencer in state.fencers} == {Weapon.LINE}
    assert gap(fresh(start_gap=4)) == 4
    assert squares(fresh(start_gap=4)) == (3, 8)


@pytest.mark.clause("F10", "F14", "F59", "F66", "F67", "F124")
@pytest.mark.parametrize(
    ("mode", "piles"),
    [("tutorial", Piles(29, 0)), ("basic", Piles(12, 11)), ("advanced", Piles(12, 30))],
)
def test_six_cards_each_and_the_timer(mode: str, piles: Piles) -> None:
    state = fresh(mode=mode)
    assert hands(state) == (6, 6)
    assert state.piles == piles
    known = ("straight-thrust-3",) if mode == "basic" else ()
    assert [fencer.known for fencer in state.fencers] == [known, known]


@pytest.mark.clause("F59")
def test_the_tutorial_may_have_twelve_timer_cards() -> None:
    assert fresh(mode="tutorial", tutorial_timer="twelve").piles == Piles(12, 17)


@pytest.mark.clause("F14", "F65", "F68")
def test_each_player_may_demand_a_new_hand_once() -> None:
    state = fresh()
    assert menu(state, "a") == menu(state, "b") == {"keep", "mulligan"}
    after = play(state, "b: mulligan")
    assert menu(after, "b") == set()
    assert broken(after, "b: mulligan") == ("F14",)
    assert broken(after, "a: move forward") == ("F14",)
    begun = play(after, "a: keep")
    assert isinstance(begun.phase, Turn)
    assert begun.fencers == state.fencers
    assert broken(begun, "a: mulligan") == ("F14",)


@pytest.mark.clause("F16")
def test_a_coin_or_a_seat_says_who_starts() -> None:
    assert fresh(starter="b").active == 1
    assert {fresh(seed, starter="coin").active for seed in range(20)} == {0, 1}
    assert fresh(5, starter="coin").active == fresh(5, starter="coin").active
    with pytest.raises(Invalid, match="seat c"):
        fresh(starter="c")


@pytest.mark.clause("F3", "F9", "F15", "F63", "F121")
@pytest.mark.parametrize(
    ("mode", "bout", "points", "goal", "periods"),
    [
        ("tutorial", "pool", 10, 5, 1),
        ("tutorial", "elimination", 10, 10, 1),
        ("tutorial", "elimination", 15, 15, 1),
        ("basic", "pool", 10, 5, 1),
        ("basic", "elimination", 10, 10, 2),
        ("advanced", "pool", 10, 5, 1),
        ("advanced", "elimination", 10, 15, 3),
    ],
)
def test_formats(mode: str, bout: str, points: int, goal: int, periods: int) -> None:
    rules = fresh(mode=mode, bout=bout, tutorial_points=points).rules
    assert (rules.goal, rules.periods) == (goal, periods)


def test_two_different_seats_fence() -> None:
    for seats in (("a",), ("a", "a"), ("a", "b", "c")):
        with pytest.raises(Invalid, match="Two fencers"):
            fresh(seats=seats)
    assert legal(fresh(seats=("b", "d")), "d: keep")


def test_notation_of_other_games_is_invalid() -> None:
    assert refused(fresh(), "a: peek 2") == "invalid"
