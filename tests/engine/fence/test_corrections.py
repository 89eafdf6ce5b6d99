"""Repairs of what the referee believes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid
from engine.fence.bout import Finish, Over, State, Turn
from engine.fence.hands import Dealing
from engine.fence.table import Piles
from tests.engine.fence.bouts import bout, having, legal, play, rules


def correct(state: State, line: str) -> State:
    after, events = rules().correct(state, tuple(line.split()))
    assert [event.audience for event in events] == [None]
    return after


def words(state: State, *prefix: str) -> list[str]:
    return [choice.word for choice in rules().corrections(state, prefix)]


def test_figures_and_markers() -> None:
    state = bout(2)
    assert correct(state, "square a 3").fencers[0].square == 3
    assert correct(state, "weapon b invitation").fencers[1].weapon == "invitation"
    assert correct(state, "stamina a 2").fencers[0].stamina == 2
    assert correct(state, "score b 4").fencers[1].score == 4
    assert "5" in words(state, "square", "a")
    assert "7" not in words(state, "square", "a")  # red stands there
    assert "4" not in words(state, "square", "a")  # green stands there already


def test_counts() -> None:
    state = having(bout(2), 0, known=("stop-hit-4", "stop-hit-5", "straight-thrust-3"))
    assert correct(state, "hand a 5").fencers[0].hand == 5
    assert correct(state, "hand a 2").fencers[0].known == ()
    assert correct(state, "timer 9").piles == Piles(9, 14)


def test_cards_that_were_seen_or_misread() -> None:
    state = play(bout(3), "a: exchange ?")
    assert correct(state, "seen stop-hit 4").piles.discards == ("stop-hit-4",)
    assert words(bout(3)) == ["square", "weapon", "stamina", "score", "hand", "timer", "unseen", "turn"]
    named = play(bout(3), "a: exchange stop-hit 4")
    assert correct(named, "unseen stop-hit 4").piles.discards == ("?",)
    known = having(bout(1), 1, known=("straight-thrust-6", "straight-thrust-3"))
    assert not legal(known, "a: play straight-thrust 6")
    assert legal(correct(known, "unseen straight-thrust 6"), "a: play straight-thrust 6")


def test_a_turn_given_voids_the_phrase() -> None:
    state = correct(play(bout(1), "a: play straight-thrust 4"), "turn b")
    assert isinstance(state.phase, Turn)
    assert (state.active, state.fencers[0].lane, state.fencers[0].hand) == (1, (), 6)


def test_a_match_that_was_not_over_goes_on() -> None:
    lines = ("a: play straight-thrust 4", "b: accept")
    over = play(having(bout(1), 0, score=4), *lines)
    assert isinstance(over.phase, Over)
    assert correct(over, "score a 4") == play(having(bout(1), 0, score=3), *lines)
    assert correct(over, "stamina b 5").phase == over.phase
    resigned = rules().resign(bout(1), "a")[0]
    assert words(resigned, "turn") == []


@pytest.mark.clause("F98")
def test_time_that_is_over_stays_over() -> None:
    won = having(replace(bout(1), phase=Over(0, Finish.TIME), period=9, piles=Piles(0, 20)), 0, score=4)
    assert correct(won, "stamina b 5").phase == won.phase
    assert isinstance(correct(won, "timer 3").phase, Turn)


@pytest.mark.clause("F14")
def test_a_new_hand_may_still_be_taken_when_the_turn_is_corrected() -> None:
    dealing = replace(bout(1), phase=Dealing((0, 1)))
    assert correct(dealing, "turn b").phase == dealing.phase


@pytest.mark.parametrize("line", ["", "square", "square a", "score b"])
def test_what_is_missing(line: str) -> None:
    with pytest.raises(Ambiguous):
        correct(bout(2), line)


@pytest.mark.parametrize(
    "line", ["square c 3", "square a 7", "dance", "timer 99", "seen joker", "turn b a", "hand a 0"]
)
def test_what_makes_no_sense(line: str) -> None:
    with pytest.raises(Invalid):
        correct(replace(bout(2)), line)
