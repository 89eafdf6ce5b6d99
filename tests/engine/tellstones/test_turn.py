"""The turn: one of six actions, then the opponent (T9-T13, T54)."""

from __future__ import annotations

import pytest

from engine.table import Seat
from tests.engine.tellstones.tables import GAME, broken, fresh, lying, parsed, play, refused, step, verbs


@pytest.mark.clause("T9")
def test_turns_alternate() -> None:
    state = fresh(first_stone="scales")
    for turn, (seat, line) in enumerate((("a", "place crown left"), ("b", "hide crown"), ("a", "swap 1 2")), 1):
        assert state.turn == turn
        assert GAME.actors(state) == {seat}
        state = play(state, f"{seat}: {line}")
    assert GAME.actors(state) == {"b"}


@pytest.mark.clause("T9")
def test_nobody_acts_out_of_turn() -> None:
    state = fresh(first_stone="scales")
    assert broken(state, "b: place crown left") == ("T9",)
    assert GAME.choices(state, "b") == ()
    assert broken(state, "b: place scales left") == ("T9", "T14")


@pytest.mark.clause("T10")
def test_there_are_six_actions() -> None:
    assert verbs(lying("crown* sword"), "a") == {"place", "hide", "swap", "peek", "challenge", "boast"}


@pytest.mark.clause("T11")
def test_there_is_no_pass_and_always_an_action() -> None:
    state = fresh(first_stone="scales")
    assert broken(state, "a: stop") == ("T11",)
    assert verbs(state, "a") == {"place", "hide"}
    full = lying("crown* shield* sword* flag* knight* hammer* scales*")
    assert verbs(full, "a") == {"swap", "peek", "challenge", "boast"}
    assert refused(state, "a: pass") == "invalid"


@pytest.mark.clause("T12", "T13")
@pytest.mark.parametrize(
    ("line", "hand"),
    [("place sword left", "b"), ("hide flag", "b"), ("swap 1 flag", "b"), ("swap 1 2", "b"), ("peek 1", "a")],
)
def test_the_opponent_carries_out_orders_and_the_player_peeks(line: str, hand: Seat) -> None:
    state = lying("crown* scales* flag")
    seat, words = parsed(f"a: {line}")
    trace = GAME.trace(state, seat, GAME.read(state, seat, words))
    assert trace.hands == {hand}
    assert trace.declared == (line == "swap 1 2")


@pytest.mark.clause("T12")
def test_orders_may_have_to_be_declared() -> None:
    state = fresh(first_stone="scales", orders="declared")
    assert GAME.trace(state, "a", GAME.read(state, "a", ("hide", "scales"))).declared
    kinds = {attempt.kind for attempt in GAME.attempts(state)}
    assert "unordered" in kinds
    assert "unordered" not in {attempt.kind for attempt in GAME.attempts(fresh(first_stone="scales"))}


@pytest.mark.clause("T54")
def test_what_is_told_names_no_hidden_stone() -> None:
    state, told = step(lying("crown sword"), "a: hide crown")
    assert told == ("B turns stone 1 face down.",)
    assert "crown" not in str(GAME.view(state, "a")).lower()
    state, told = step(state, "b: swap 1 sword")
    assert told == ("A swaps stones 1 and 2.",)
    assert GAME.view(state, None).facts["line"] == ("sword", "down")
