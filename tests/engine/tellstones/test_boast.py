"""Boast, its answers, and the proof (T41-T51)."""

from __future__ import annotations

import pytest

from engine.tellstones.challenge import NameAnswer
from engine.tellstones.line import KINDS
from engine.tellstones.match import Rulings
from tests.engine.tellstones.tables import GAME, broken, lying, play, refused, row, step, verbs


@pytest.mark.clause("T41", "T42")
def test_a_boast_has_three_answers() -> None:
    state = play(lying("crown* sword*"), "a: boast")
    assert GAME.actors(state) == {"b"}
    assert verbs(state, "b") == {"believe", "prove", "takeover"}
    assert all(choice.costs for choice in GAME.choices(state, "b")), "each of them is asked again"
    assert broken(state, "b: names crown") == ("T42",)
    assert broken(state, "a: believe") == ("T42",)
    assert broken(lying("crown*"), "a: believe") == ("T42",)


@pytest.mark.clause("T43", "T51")
def test_a_boast_that_is_believed_scores_and_nothing_is_turned() -> None:
    state, told = step(play(lying("crown* sword*"), "a: boast"), "b: believe")
    assert (state.score, row(state), GAME.actors(state)) == ((1, 0), "crown* sword*", {"b"})
    assert told == ("B: I believe you.", "A scores. Points: 1.")


@pytest.mark.clause("T44")
def test_a_name_for_a_challenge_is_no_proof() -> None:
    """It says no stone, so nothing could be turned up."""
    state = play(lying("crown* sword*"), "a: boast", "b: prove")
    assert [breach.clause for breach in GAME.judge(state, "a", NameAnswer("crown"))] == ["T44"]
    assert refused(state, "a: names crown") == "ambiguous"


@pytest.mark.clause("T44", "T46")
@pytest.mark.parametrize("order", [(1, 3), (3, 1)])
def test_who_proves_everything_in_any_order_wins_whatever_the_score(order: tuple[int, int]) -> None:
    names = {1: "crown", 3: "flag"}
    state = play(lying("crown* sword flag*", score=(0, 2)), "a: boast", "b: prove")
    assert GAME.actors(state) == {"a"}
    assert verbs(state, "a") == {"names"}
    assert broken(state, "a: believe") == ("T44",)
    assert broken(state, "b: names 1 crown") == ("T44",)
    state = play(state, f"a: names {order[0]} {names[order[0]]}")
    assert GAME.outcome(state) is None
    assert broken(state, f"a: names {order[0]} crown") == ("T44",)
    state, told = step(state, f"a: names {order[1]} {names[order[1]]}")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, state.score, row(state)) == ({"a"}, (0, 2), "crown sword flag")
    assert told[-1] == "A wins: every face-down stone was named."
    assert broken(state, "b: hide crown") == ("T46",)


@pytest.mark.clause("T47")
def test_one_mistake_loses_and_the_rest_stays_down() -> None:
    state = play(lying("crown* sword* flag*", score=(2, 0)), "a: boast", "b: prove", "a: names 2 flag")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.winners, row(state), state.score) == ({"b"}, "crown* sword flag*", (2, 0))
    assert str(outcome.text) == "B wins: A named a stone wrongly."
    assert broken(state, "a: names 1 crown") == ("T47",)


@pytest.mark.clause("T48")
def test_a_name_is_locked_before_the_stone_is_turned() -> None:
    state = play(lying("crown* sword*"), "a: boast", "b: prove")
    assert [choice.word for choice in GAME.choices(state, "a", ("names",))] == ["1", "2"]
    assert [choice.word for choice in GAME.choices(state, "a", ("names", "1"))] == list(KINDS)
    assert refused(state, "a: names crown") == "ambiguous"
    assert refused(state, "a: names 1") == "ambiguous"
    trace = GAME.trace(state, "a", GAME.read(state, "a", ("names", "1", "flag")))
    assert (trace.declared, trace.hands, len(trace.turned)) == (True, {"a"}, 1)
    flips = [attempt for attempt in GAME.attempts(state) if attempt.kind == "unasked flip"]
    assert {breach.clause for flip in flips for breach in flip.violations} == {"T48"}


@pytest.mark.clause("T48")
def test_the_last_stone_needs_no_place() -> None:
    state = play(lying("crown* sword*"), "a: boast", "b: prove", "a: names 1 crown")
    assert GAME.outcome(play(state, "a: names sword")) is not None


@pytest.mark.clause("T45", "T50")
def test_a_boast_taken_over_is_answered_by_the_boaster_with_one_or_two() -> None:
    state = play(lying("crown* sword*"), "a: boast", "b: takeover")
    assert GAME.actors(state) == {"a"}
    assert verbs(state, "a") == {"believe", "prove"}
    assert broken(state, "a: takeover") == ("T45",)
    assert broken(state, "b: believe") == ("T45",)
    assert broken(state, "b: names 1 crown") == ("T45",)


@pytest.mark.clause("T45a", "T51")
def test_a_takeover_that_is_believed_scores_for_who_took_it() -> None:
    state = play(lying("crown* sword*"), "a: boast", "b: takeover", "a: believe")
    assert (state.score, GAME.actors(state), state.turn) == ((0, 1), {"b"}, 10)


@pytest.mark.clause("T45a", "T50")
@pytest.mark.parametrize(("name", "winner"), [("crown", "b"), ("sword", "a")])
def test_a_takeover_that_is_doubted_is_proved_by_who_took_it(name: str, winner: str) -> None:
    state = play(lying("crown* sword"), "a: boast", "b: takeover", "a: prove")
    assert GAME.actors(state) == {"b"}
    outcome = GAME.outcome(play(state, f"b: names {name}"))
    assert outcome is not None
    assert outcome.winners == {winner}


@pytest.mark.clause("T49")
@pytest.mark.parametrize(("minimum", "line", "legal"), [(1, "crown", 0), (1, "crown*", 1), (2, "crown*", 0)])
def test_a_boast_needs_face_down_stones(minimum: int, line: str, legal: bool) -> None:
    state = lying(line + " sword", rules=Rulings(boast_minimum=minimum))
    assert ("boast" in verbs(state, "a")) == bool(legal)
    assert broken(state, "a: boast") == (() if legal else ("T49",))


@pytest.mark.clause("T43", "T3")
def test_the_third_point_of_a_boast_wins() -> None:
    state = play(lying("crown* sword", score=(2, 2)), "a: boast", "b: believe")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"a"}
