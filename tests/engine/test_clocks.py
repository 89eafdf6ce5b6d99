from __future__ import annotations

from typing import Any

import pytest

from engine import clocks
from engine.clocks import ClockKind, ClockRules
from engine.errors import Invalid

A, B = frozenset("a"), frozenset("b")


def started(**rules: Any) -> clocks.Clocks:
    return clocks.resume(clocks.wind(ClockRules(**rules), ("a", "b")), A, 100.0)


def test_without_a_clock_nothing_runs_and_nothing_falls() -> None:
    none = started()
    assert clocks.seconds_left(none, "a", 1e9) is None
    assert clocks.press(none, B, 500.0) == none
    assert clocks.due(none, 1e9) == ()


def test_a_chess_clock_runs_for_the_actor_alone_and_gives_the_increment_after_the_turn() -> None:
    chess = started(kind=ClockKind.CHESS, seconds=60, increment=5)
    assert (clocks.seconds_left(chess, "a", 110.0), clocks.seconds_left(chess, "b", 110.0)) == (50.0, 60.0)
    pressed = clocks.press(chess, B, 110.0)
    assert (clocks.seconds_left(pressed, "a", 120.0), clocks.seconds_left(pressed, "b", 120.0)) == (55.0, 50.0)


def test_an_actor_who_goes_on_gets_no_increment() -> None:
    chess = clocks.press(started(kind=ClockKind.CHESS, seconds=60, increment=5), A, 110.0)
    assert clocks.seconds_left(chess, "a", 110.0) == 50.0


def test_a_move_clock_is_wound_again_for_every_turn() -> None:
    move = started(kind=ClockKind.MOVE, seconds=30)
    assert clocks.seconds_left(clocks.press(move, B, 120.0), "a", 121.0) == 30.0
    assert clocks.seconds_left(clocks.press(move, A, 120.0), "a", 121.0) == 9.0


def test_a_move_clock_is_wound_again_for_a_seat_that_moves_and_goes_on() -> None:
    move = started(kind=ClockKind.MOVE, seconds=30)
    assert clocks.seconds_left(clocks.press(move, A, 120.0, "a"), "a", 121.0) == 29.0
    assert clocks.seconds_left(clocks.press(move, A, 120.0, "b"), "a", 121.0) == 9.0


def test_a_pause_costs_nobody_time() -> None:
    stopped = clocks.stop(started(kind=ClockKind.CHESS, seconds=60), 110.0)
    again = clocks.resume(stopped, A, 1000.0)
    assert clocks.seconds_left(again, "a", 1001.0) == 49.0


def test_a_flag_falls_once() -> None:
    chess = started(kind=ClockKind.CHESS, seconds=60)
    assert clocks.due(chess, 159.9) == ()
    assert clocks.due(chess, 160.0) == ("a",)
    assert clocks.due(clocks.note(chess, "a"), 161.0) == ()
    assert clocks.seconds_left(chess, "a", 999.0) == 0.0


@pytest.mark.parametrize(
    "wrong", [{"kind": "sand"}, {"seconds": 0}, {"increment": -1}, {"minutes": 5}, {"seconds": "many"}]
)
def test_impossible_clocks_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        clocks.rules(wrong)


def test_a_noted_flag_of_a_move_clock_may_fall_again_in_the_next_turn() -> None:
    move = clocks.note(started(kind=ClockKind.MOVE, seconds=30), "a")
    again = clocks.press(clocks.press(move, B, 140.0), A, 150.0)
    assert clocks.due(again, 180.0) == ("a",)
