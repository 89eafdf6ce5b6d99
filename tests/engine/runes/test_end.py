"""The end phase, deaths and the end of a match (R57-R59)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.runes.hands import DrawPhase, drawing, possible
from engine.runes.match import Over, State, pile, wizard_at
from tests.engine.runes.tables import play, refused, say, start, told, words_of
from tests.engine.runes.turns import GAME, Start, run, turn_from


def at_draws(hands: dict[str, int], cards: dict[str, str], **options: Any) -> State:
    """The state before the draws of a turn in which everybody played a card and nobody a spell."""
    state = turn_from({seat: Start(hand=count) for seat, count in hands.items()}, **options)
    return run(state, [(seat, f"reveal {card}") for seat, card in cards.items()]).state


@pytest.mark.clause("R57")
def test_two_cards_are_drawn_but_no_hand_exceeds_five() -> None:
    hands, cards = {"a": 5, "b": 4, "c": 1}, {"a": "mill", "b": "sea", "c": "origin"}
    state = at_draws(hands, cards, drawing="required")
    assert isinstance(state.phase, DrawPhase)
    assert sorted(state.phase.order) == ["a", "b", "b", "c", "c"]
    for _ in range(5):
        seat = next(iter(GAME.actors(state)))
        assert refused(state, f"{seat}: decline") == ("R57",)
        state = play(state, f"{seat}: draw")
    assert [wizard.held for wizard in state.wizards] == [5, 5, 2]
    assert refused(state, "a: draw") == ("R57",)


@pytest.mark.clause("R57")
def test_at_most_two_cards_are_drawn_and_none_need_be() -> None:
    state = at_draws({"a": 3, "b": 3}, {"a": "sea", "b": "mill"})
    state = play(state, "a: draw", "b: decline")
    assert [wizard.held for wizard in state.wizards] == [3, 2]
    assert GAME.actors(state) == {"a"}


@pytest.mark.clause("R58")
def test_who_revealed_the_highest_card_draws_first() -> None:
    state = at_draws({"a": 3, "b": 3, "c": 3}, {"a": "origin", "b": "sea", "c": "mill"})
    assert isinstance(state.phase, DrawPhase)
    assert state.phase.order == ("b", "c", "a", "b", "c", "a")
    assert refused(state, "a: draw") == ("R58",)
    equal = at_draws({"a": 3, "b": 3, "c": 3}, {"a": "origin", "b": "end", "c": "sea"})
    assert drawing(equal).order[:3] == ("b", "c", "a")
    by_seat = at_draws({"a": 3, "b": 3, "c": 3}, {"a": "origin", "b": "sea", "c": "mill"}, draw_order="seat")
    assert drawing(by_seat).order[:3] == ("a", "b", "c")


@pytest.mark.clause("R58")
def test_the_card_of_the_extra_phase_counts_for_the_draw() -> None:
    state = turn_from({"a": Start(hand=3, effects={"haste": (1, 1)}), "b": Start(hand=3)})
    lines = [("a", "reveal sea"), ("a", "reveal origin"), ("b", "reveal mill")]
    assert drawing(run(state, lines).state).order[0] == "a"


@pytest.mark.clause("R58")
def test_the_excuse_shuffles_discards_and_pile() -> None:
    state = turn_from({"a": Start(sequence=("mountain", "sailor", "origin", "author")), "b": Start()})
    state = run(state, [("a", "reveal sea"), ("b", "reveal mill")]).state
    assert state.discards == ("mountain",)
    before = pile(state)
    state, events = say(state, "a: excuse")
    assert state.discards == ()
    assert pile(state) == before + 1
    assert GAME.actors(state) == {"a"}
    assert events[0].reveals
    assert "the Excuse" in told(events, None)[0]
    shuffle = "Shuffle pile and discards and put the Excuse in the middle."
    assert str(GAME.view(state, "a").prompt) == f"{shuffle} Draw a card."
    assert str(GAME.view(state, "b").prompt) == f"{shuffle} A draws."
    assert str(GAME.view(play(state, "a: draw"), "b").prompt) == "Draw a card."
    state = play(state, "a: draw", "b: draw")
    assert "mountain" in possible(state, wizard_at(state, "a"))


@pytest.mark.clause("R58")
def test_what_was_shuffled_back_is_in_no_hand_before_the_next_draw() -> None:
    state = turn_from({"a": Start(hand=3, sequence=("mountain", "sailor", "origin", "author")), "b": Start()})
    state = run(state, [("a", "reveal sea"), ("b", "reveal mill")]).state
    state = play(state, "a: draw", "b: excuse")
    assert "mountain" not in possible(state, wizard_at(state, "a"))
    assert "mountain" not in possible(state, wizard_at(state, "b"))
    assert "mountain" in possible(play(state, "b: draw"), wizard_at(play(state, "b: draw"), "b"))
    after = play(state, "b: draw", "a: draw", "a: lay", "b: lay")
    assert refused(after, "a: reveal mountain") == ()
    hand = replace(wizard_at(after, "a"), hand=(0, 0, 0))
    assert "mountain" not in possible(after, hand)


@pytest.mark.clause("R58")
def test_the_last_card_of_the_pile_is_the_excuse() -> None:
    state = at_draws({"a": 3, "b": 3}, {"a": "sea", "b": "mill"})
    others = tuple(name for name in state.deck if name not in ("sea", "mill", "excuse"))
    state = replace(state, discards=others[: len(state.deck) - 2 - 4 - 1])
    assert pile(state) == 1
    assert words_of(state, "a") == ["decline", "excuse"]
    assert refused(state, "a: draw") == ("R58",)


@pytest.mark.clause("R59")
def test_the_dead_leave_and_their_cards_are_discarded() -> None:
    starts = {"a": Start(sequence=("ace-of-suns",)), "b": Start(life=1, sequence=("mountain",)), "c": Start()}
    state = turn_from(starts)
    before = pile(state)
    lines = [
        ("a", "reveal desert"),
        ("b", "reveal author"),
        ("c", "reveal sea"),
        ("a", "cast fireball b desert"),
        ("b", "cast confusion a"),
    ]
    result = run(state, lines)
    assert not result.alive["b"]
    assert result.refused == 4
    assert (result.sequences["b"], result.hands["b"]) == ((), 0)
    assert result.state.discards == ("mountain", "author")
    assert pile(result.state) == before
    assert "b" not in words_of(result.state, "a", "counter")
    assert not result.over


@pytest.mark.clause("R59")
def test_what_a_dead_wizard_discards_face_up_can_be_recorded() -> None:
    state = turn_from({"a": Start(sequence=("ace-of-suns",)), "b": Start(life=1, sequence=("mountain",)), "c": Start()})
    assert "dead" not in [choice.word for choice in GAME.corrections(state)]
    lines = [("a", "reveal desert"), ("b", "reveal author"), ("c", "reveal sea"), ("a", "cast fireball b desert")]
    state = run(state, lines).state
    before, shown = pile(state), GAME.layout(state)
    assert len(state.buried) == 4
    assert "author" not in [choice.word for choice in GAME.corrections(state, ("dead",))]
    for number, card in enumerate(("mill", "origin", "market", "end")):
        assert card in possible(state, wizard_at(state, "a"))
        state, events = GAME.correct(state, ("dead", card))
        assert card in str(events[0].text).lower()
        assert card not in possible(state, wizard_at(state, "a"))
        assert (len(state.buried), pile(state)) == (3 - number, before)
    assert GAME.layout(state) == shown
    assert "dead" not in [choice.word for choice in GAME.corrections(state)]
    state, _ = say(state, f"{min(GAME.actors(state))}: excuse")
    assert pile(state) == before + 6
    assert "mill" not in possible(state, wizard_at(state, "a"))


@pytest.mark.clause("R59")
def test_the_last_survivor_wins() -> None:
    state = turn_from({"a": Start(), "b": Start(life=1)})
    result = run(state, [("a", "reveal calamity"), ("b", "reveal sea"), ("a", "cast jab b")])
    assert isinstance(result.state.phase, Over)
    outcome = GAME.outcome(result.state)
    assert outcome is not None
    assert outcome.winners == {"a"}
    assert GAME.actors(result.state) == frozenset()
    assert refused(result.state, "a: lay") == ("R59",)


@pytest.mark.clause("R59")
def test_all_dead_together_is_a_draw() -> None:
    state = turn_from({"a": Start(life=1), "b": Start(life=1)})
    lines = [("a", "reveal watchman"), ("b", "reveal borderland"), ("a", "cast jab b"), ("b", "cast jab a")]
    outcome = GAME.outcome(run(state, lines).state)
    assert outcome is not None
    assert outcome.winners == frozenset()
    assert str(outcome.text) == "All are dead: a draw."


def test_who_gives_up_leaves_as_the_dead_do() -> None:
    state = play(start("abc"), "a: lay", "b: lay", "c: lay")
    state, _ = GAME.resign(state, "b")
    assert GAME.actors(state) == {"a", "c"}
    state, _ = GAME.resign(state, "a")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == {"c"}


def test_giving_up_while_paying_lets_the_others_go_on() -> None:
    state = play(start("abc"), "a: counter b")
    state, _ = GAME.resign(state, "a")
    assert GAME.actors(state) == {"b", "c"}
