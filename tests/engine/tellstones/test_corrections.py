"""Repairs of what the referee believes; none tells what is hidden (design law 2, T54)."""

from __future__ import annotations

import pytest

from engine.errors import Ambiguous, Invalid
from engine.grammar import in_words, sentences
from engine.tellstones.boast import Boasted
from engine.tellstones.challenge import Challenged
from engine.tellstones.line import At
from engine.tellstones.match import Ordering, State
from engine.tellstones.peek import Peeking
from tests.engine.tellstones.tables import GAME, TEAMS, fresh, lying, play, row


def fixed(state: State, words: str) -> State:
    after, events = GAME.correct(state, tuple(words.split()))
    told = in_words(lambda prefix: GAME.corrections(state, prefix), tuple(words.split()))
    assert [str(event.text) for event in events] == [f"Corrected: {told}."]
    return after


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("exchange 2 4", "crown scales* flag sword*"),
        ("show 2 sword", "crown sword flag scales*"),
        ("show 2 scales", "crown scales flag sword*"),
        ("show 1 sword", "sword crown* flag scales*"),
        ("show 1 flag", "flag sword* crown scales*"),
        ("show 1 hammer", "hammer sword* flag scales*"),
        ("down 1", "crown* sword* flag scales*"),
        ("move 2 4", "crown flag scales* sword*"),
        ("move 4 1", "scales* crown sword* flag"),
        ("pool 3", "crown sword* scales*"),
        ("line hammer 2", "crown hammer sword* flag scales*"),
        ("line hammer 5", "crown sword* flag scales* hammer"),
    ],
)
def test_stones_are_put_right(words: str, after: str) -> None:
    state = fixed(lying("crown sword* flag scales*"), words)
    assert row(state) == after
    kinds = [stone.kind for stone in state.mats[0].line]
    assert sorted((*kinds, *state.mats[0].pool)) == sorted(
        ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")
    )
    assert state.mats[0].pool == tuple(sorted(state.mats[0].pool))


@pytest.mark.clause("T54")
@pytest.mark.parametrize("words", ["show 2 crown", "show 2 hammer", "pool 2", "exchange 1 2", "down 2", "show 1 crown"])
def test_nothing_is_corrected_that_would_tell_what_is_hidden(words: str) -> None:
    with pytest.raises(Invalid):
        GAME.correct(lying("crown sword* flag scales*"), tuple(words.split()))


@pytest.mark.parametrize("words", ["", "show", "show 1", "score a", "move 1", "exchange 2"])
def test_half_a_correction_is_ambiguous(words: str) -> None:
    with pytest.raises(Ambiguous):
        GAME.correct(lying("crown sword* flag scales*"), tuple(words.split()))


def test_score_and_turn_are_put_right() -> None:
    state = fixed(lying("crown*", score=(2, 0)), "score b 2")
    assert state.score == (2, 2)
    assert fixed(state, "turn b").active == "b"
    won = fixed(state, "score a 3")
    assert GAME.outcome(won) is not None
    assert GAME.outcome(fixed(won, "score a 2")) is None
    assert fixed(lying("crown", seats=TEAMS), "score d 1").score == (0, 1)


@pytest.mark.clause("T51")
def test_whoever_seemed_to_win_has_had_its_turn() -> None:
    orders = ("a: challenge 1", "b: names sword")
    honest = play(lying("crown* sword*", score=(1, 0)), *orders)
    won = play(lying("crown* sword*", score=(2, 0)), *orders)
    assert GAME.outcome(won) is not None
    corrected = fixed(won, f"score a {honest.score[0]}")
    assert (corrected.active, corrected.turn, corrected.score) == (honest.active, honest.turn, honest.score)


@pytest.mark.clause("T46")
def test_a_proof_whose_last_stone_lies_face_up_is_won() -> None:
    proving = play(lying("crown* sword*"), "a: boast", "b: prove", "a: names 1 crown")
    assert GAME.outcome(proving) is None
    won = GAME.outcome(fixed(proving, "show 2 sword"))
    assert won is not None
    assert won.winners == {"a"}


@pytest.mark.clause("T7")
def test_the_score_is_no_question_before_the_first_turn() -> None:
    state = fresh(first_stone="chosen")
    with pytest.raises(Invalid):
        GAME.correct(state, ("score", "a", "1"))


def test_a_question_follows_its_stone() -> None:
    challenged = play(lying("crown* sword* flag"), "a: challenge 2")
    assert isinstance(fixed(challenged, "move 2 3").phase, Challenged)
    assert GAME.view(fixed(challenged, "move 2 3"), "b").facts["challenged"] == "3"
    assert GAME.view(fixed(challenged, "line hammer 1"), "b").facts["challenged"] == "3"
    assert isinstance(fixed(challenged, "exchange 1 2").phase, Challenged)
    assert isinstance(fixed(challenged, "show 2 sword").phase, Ordering)


def test_a_question_that_makes_no_sense_any_more_is_dropped() -> None:
    assert isinstance(fixed(play(lying("crown* sword"), "a: boast"), "down 2").phase, Boasted)
    for lines in (("a: boast",), ("a: boast", "b: takeover"), ("a: boast", "b: prove")):
        assert isinstance(fixed(play(lying("crown* sword"), *lines), "show 1 crown").phase, Ordering)
    assert isinstance(fixed(play(lying("crown* sword"), "a: boast"), "turn a").phase, Ordering)


def test_a_peek_goes_on_with_the_stones_that_are_left() -> None:
    state = play(lying("crown* sword* flag*", scored=(0, 8)), "a: peek 1")
    assert fixed(state, "move 1 3").phase == Peeking((At(0, 2),), 2)
    fewer = fixed(state, "show 2 sword")
    assert isinstance(fewer.phase, Peeking)
    assert fewer.phase.left == 1
    over = fixed(fewer, "show 3 flag")
    assert isinstance(over.phase, Ordering)
    assert over.active == "b", "the peek was the turn"


def test_the_seven_spots_keep_up() -> None:
    state = play(fresh(first_stone="scales", fixed_spots=True), "a: place crown left", "b: place sword left")
    assert fixed(state, "pool 1").mats[0].left <= 1
    assert list(sentences(GAME, fixed(state, "line flag 1"), "a"))


def test_two_lines_are_corrected_apart() -> None:
    state = lying("crown* sword*", "crown* flag")
    assert row(fixed(state, "exchange A1 A2"), 0) == "sword* crown*"
    assert [choice.word for choice in GAME.corrections(state, ("exchange",))] == ["A1"]
    assert row(fixed(state, "move B1 B2"), 1) == "flag crown*"
    assert row(fixed(state, "line sword B1"), 1) == "sword crown* flag"
    with pytest.raises(Invalid):
        GAME.correct(state, ("exchange", "A1", "B1"))


def test_a_line_is_never_emptied() -> None:
    assert ("pool",) not in {(choice.word,) for choice in GAME.corrections(lying("crown"), ())}
    assert GAME.corrections(fresh(first_stone="chosen"), ("line",)) == ()
