"""What is shown: facts, panels, prompts, the reference card; and a draw by agreement."""

from __future__ import annotations

import pytest

from engine.entry import Draw, Start
from engine.match import advance, begin
from engine.tellstones.peek import Peeking
from engine.text import say, who
from engine.view import Glyphs, Line, Score
from referee_simulator.conformance.playouts import load
from tests.engine.tellstones.tables import DUEL, GAME, TEAMS, fresh, lying, play


def test_facts_say_what_everybody_sees() -> None:
    state = play(lying("crown sword* flag", score=(2, 1)), "a: challenge 2")
    assert GAME.view(state, None).facts == {
        "line": ("crown", "down", "flag"),
        "pool": ("hammer", "knight", "scales", "shield"),
        "score": {"a": 2, "b": 1},
        "goal": 3,
        "turn": 9,
        "active": "a",
        "phase": "challenge",
        "asked": ("b",),
        "hidden": 1,
        "peeks": 0,
        "challenged": "2",
        "peeked": (),
    }


@pytest.mark.clause("T16", "T54")
def test_the_line_is_drawn_as_each_player_sees_it() -> None:
    state = play(lying("crown sword* flag"), "a: challenge 2")
    near = Glyphs(say("Line"), ("crown", "down", "flag"), ("1", "2", "3"), frozenset({1}))
    far = Glyphs(say("Line"), ("flag", "down", "crown"), ("3", "2", "1"), frozenset({1}))
    assert GAME.view(state, "a").panels[0] == GAME.view(state, None).panels[0] == near
    assert GAME.view(state, "b").panels[0] == far


def test_stones_already_looked_at_are_marked() -> None:
    state = play(lying("crown* sword* flag*", scored=(0, 8)), "a: peek 3")
    assert isinstance(state.phase, Peeking)
    panel = GAME.view(state, "b").panels[0]
    assert isinstance(panel, Glyphs)
    assert [panel.captions[place] for place in panel.marked] == ["3"]
    assert GAME.view(state, "a").facts["peeked"] == ("3",)
    assert str(GAME.view(state, "a").prompt) == "Peek at up to 2 more, or stop peeking."


def test_panels_hold_line_score_task_and_pool() -> None:
    state = play(lying("crown sword", score=(1, 0)), "a: hide sword")
    panels = GAME.view(state, "b").panels
    assert [type(panel) for panel in panels] == [Glyphs, Score, Line, Glyphs]
    assert panels[1] == Score(say("Points"), ((who("a"), 1), (who("b"), 0)), 3)
    assert isinstance(panels[2], Line)
    assert str(panels[2].text) == "B turns stone 2 face down."
    assert panels[3] == Glyphs(say("Pool"), ("shield", "flag", "knight", "hammer", "scales"))


@pytest.mark.parametrize(
    ("lines", "asked", "others"),
    [
        ((), "Choose a move.", "A is choosing a move."),
        (("a: boast",), "A boast: believe, ask for proof, or take over?", "B answers the boast."),
        (
            ("a: boast", "b: takeover"),
            "Your boast was taken over: believe, or ask for proof?",
            "A answers the boast.",
        ),
        (("a: boast", "b: prove"), "Prove it: name a stone, then turn it up.", "A proves the boast."),
        (("a: boast", "b: prove", "a: names 1 flag"),) + ("B wins: A named a stone wrongly.",) * 2,
    ],
)
def test_prompts_say_what_is_wanted_of_whom(lines: tuple[str, ...], asked: str, others: str) -> None:
    state = play(lying("crown* sword*"), *lines)
    actors = GAME.actors(state)
    for seat in (*DUEL, None):
        assert str(GAME.view(state, seat).prompt) == (asked if seat in actors else others)


@pytest.mark.parametrize(
    "lines", [("a: boast",), ("a: boast", "b: takeover"), ("a: peek 3",)], ids=["boast", "taken over", "peeking"]
)
def test_a_question_has_the_words_of_the_menu(lines: tuple[str, ...]) -> None:
    state = play(lying("crown* sword* flag*", scored=(0, 8)), *lines)
    seat = next(seat for seat in DUEL if GAME.choices(state, seat, ()))
    asked = str(GAME.view(state, seat).prompt).lower()
    offered = [str(choice.text).lower() for choice in GAME.choices(state, seat, ())]
    assert [word for word in offered if word not in asked] == []


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("crown* sword* flag* knight*", "Choose a move. You may peek at 3."),
        ("crown* sword*", "Choose a move. You may peek at 2."),
        ("crown* sword", "Choose a move."),
    ],
)
def test_the_prompt_offers_as_many_peeks_as_stones_allow(line: str, asked: str) -> None:
    assert str(GAME.view(lying(line, scored=(0, 8)), "a").prompt) == asked


@pytest.mark.clause("T7")
def test_the_first_stone_is_asked_for() -> None:
    state = fresh(first_stone="chosen")
    assert str(GAME.view(state, "b").prompt) == "Choose the first stone of the Line."
    assert str(GAME.view(state, "a").prompt) == "B chooses the first stone."


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"mode": "two-line"}, "Two Lines: never mix."),
        ({"boast_minimum": 2}, "At least 2 face down."),
        ({}, "After a rival's point: up to three."),
        ({"peek_three": "previous-turn"}, "Rival scored last turn: up to three."),
    ],
)
def test_the_reference_card_follows_the_options(given: dict[str, str | int], line: str) -> None:
    def card(**options: str | int) -> list[str]:
        return [str(text) for page in GAME.reference(load("tellstones", options)[1]) for text in page]

    assert line in card(**given)
    assert line not in card(peek_three="never")


@pytest.mark.clause("T62a")
def test_a_draw_may_be_agreed() -> None:
    options = dict(load("tellstones", {})[1])
    match = begin(GAME, Start(0.0, "tellstones", options, TEAMS, 1))
    drawn, _ = advance(GAME, match, Draw(1.0))
    assert drawn.result is not None
    assert drawn.result.winners == frozenset()


def test_giving_up_loses() -> None:
    state, events = GAME.resign(lying("crown", seats=TEAMS), "c")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"b", "d"}
    assert str(events[0].text) == "B+D wins: A+C gave up."
