"""Scoring and Challenge (T3, T33-T40, T51, T52)."""

from __future__ import annotations

import pytest

from engine.tellstones.line import KINDS
from tests.engine.tellstones.tables import GAME, broken, lying, play, refused, row, step, verbs


@pytest.mark.clause("T34", "T35")
def test_the_opponent_must_name_the_stone() -> None:
    state, told = step(lying("crown* sword*"), "a: challenge 2")
    assert told == ("A challenges B: name stone 2.",)
    assert GAME.actors(state) == {"b"}
    assert verbs(state, "b") == {"names"}
    assert broken(state, "b: hide 1") == ("T35", "T20")
    assert broken(state, "a: names crown") == ("T35",)
    assert broken(state, "b: names 1 crown") == ("T34",)
    assert str(GAME.view(state, "b").prompt) == "Name stone 2, then turn it up."
    assert str(GAME.view(state, "a").prompt) == "B must name stone 2."


@pytest.mark.clause("T35")
def test_any_of_the_seven_names_is_an_answer() -> None:
    state = play(lying("crown* sword"), "a: challenge 1")
    assert [choice.word for choice in GAME.choices(state, "b", ("names",))] == list(KINDS)
    assert play(state, "b: names sword").score == (1, 0)
    assert refused(state, "b: names") == "ambiguous"
    assert refused(state, "b: names pebble") == "invalid"


@pytest.mark.clause("T36", "T38")
def test_the_stone_is_turned_up_and_stays_so() -> None:
    state = play(lying("crown* sword*"), "a: challenge 1")
    trace = GAME.trace(state, "b", GAME.read(state, "b", ("names", "flag")))
    assert [spot.index for spot in trace.turned] == [0]
    assert (trace.hands, trace.declared) == ({"b"}, True)
    for name in ("crown", "flag"):
        assert row(play(state, f"b: names {name}")) == "crown sword*"
    assert row(play(state, "b: names crown", "b: hide crown")) == "crown* sword*"


@pytest.mark.clause("T33", "T37")
def test_the_right_answer_scores_for_the_challenged_and_a_wrong_one_for_the_challenger() -> None:
    state = play(lying("crown* sword*"), "a: challenge 1")
    right, told = step(state, "b: names crown")
    assert right.score == (0, 1)
    assert told == ("B says Crown and turns the stone up.", "It is the Crown.", "B scores. Points: 1.")
    wrong, told = step(state, "b: names sword")
    assert wrong.score == (1, 0)
    assert told == ("B says Sword and turns the stone up.", "It is the Crown.", "A scores. Points: 1.")


@pytest.mark.clause("T33")
def test_moving_stones_scores_nothing() -> None:
    state = play(lying("crown sword*"), "a: hide crown", "b: swap 1 2", "a: place flag left", "b: peek 2")
    assert state.score == (0, 0)


@pytest.mark.clause("T39", "T34")
def test_only_face_down_stones_are_challenged() -> None:
    assert broken(lying("crown sword*"), "a: challenge crown") == ("T34",)
    assert broken(lying("crown sword"), "a: challenge 2") == ("T34", "T39")
    assert refused(lying("crown sword*"), "a: challenge") == "ambiguous"
    assert "challenge" not in verbs(lying("crown"), "a")


@pytest.mark.clause("T3", "T40")
@pytest.mark.parametrize(("score", "answer", "winner"), [((2, 0), "flag", "a"), ((0, 2), "crown", "b")])
def test_three_points_win_at_once(score: tuple[int, int], answer: str, winner: str) -> None:
    state = play(lying("crown* sword*", score=score), "a: challenge 1", f"b: names {answer}")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {winner}
    assert str(outcome.text) == f"{winner.upper()} wins with three points."
    assert GAME.actors(state) == frozenset()
    assert broken(state, "a: hide crown") == ("T40",)


@pytest.mark.clause("T51")
def test_after_a_point_the_turn_passes_on_from_whose_turn_it_was() -> None:
    for line in ("b: names crown", "b: names flag"):
        state = play(lying("crown* sword*"), "a: challenge 1", line)
        assert (GAME.actors(state), state.turn) == ({"b"}, 10)


@pytest.mark.clause("T52")
def test_a_name_that_nobody_asked_for_is_talk() -> None:
    assert broken(lying("crown* sword"), "a: names crown") == ("T52",)
    assert broken(lying("crown* sword"), "b: names crown") == ("T9", "T52")
