"""Bouts between players who hold real hands: the referee's knowledge never contradicts the truth."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from engine.catalogue import complete
from engine.fence import Fence
from engine.fence.bout import State, Turn, side_of
from engine.fence.cards import edit
from engine.fence.hands import Mulligan
from engine.fence.play import Distance, PlayCard
from engine.fence.turn import Exchange, Stall
from engine.grammar import sentences
from referee_simulator.dealers import fence as dealer
from referee_simulator.dealers.fence import Cards
from tests.engine.fence.bouts import SPEC, fresh, rules


def honest(cards: Cards, state: State, rng: Random) -> tuple[str, Any]:
    """A random legal action that the real hand can do."""
    seat = rng.choice(sorted(rules().actors(state)))
    side = side_of(state, seat)
    verbs = [choice.word for choice in rules().choices(state, seat)]
    rng.shuffle(verbs)
    for verb in verbs:
        found = []
        for words in _of(state, seat, verb):
            action = dealer.name_card(cards, state, side, rules().read(state, seat, words))
            if dealer.may(cards, state, side, action) and not rules().judge(state, seat, action):
                found.append(action)
        if found:
            return seat, rng.choice(found)
    raise AssertionError(f"nothing can be done in {state.phase}")


def _of(state: State, seat: str, verb: str) -> list[tuple[str, ...]]:
    choice = next(each for each in rules().choices(state, seat) if each.word == verb)
    return [(verb,)] if choice.final else list(sentences(rules(), state, seat, (verb,)))


def fence(seed: int, **options: Any) -> tuple[State, Cards, int]:
    rng = Random(seed)
    state = fresh(seed, passivity=6, **options)
    cards = dealer.deal(state, seed)
    total = Counter(name for name, face in state.pool.items() for _ in range(face.count))
    steps = 0
    while rules().outcome(state) is None and steps < 1500:
        seat, action = honest(cards, state, rng)
        after, _ = rules().apply(state, seat, action)
        cards = dealer.carry(cards, state, side_of(state, seat), action, after)
        state, steps = after, steps + 1
        assert dealer.agrees(cards, state), (steps, action)
        piles = (*cards.hands, *cards.lanes, cards.timer, cards.aside, cards.discards)
        assert Counter(name for pile in piles for name in pile) == total
    assert rules().outcome(state) is not None
    return state, cards, steps


@pytest.mark.quick(1)
@pytest.mark.clause("F42", "F80")
@pytest.mark.parametrize(
    "options",
    [
        {"mode": "tutorial", "tutorial_timer": "twelve"},
        {"mode": "basic"},
        {"mode": "basic", "bout": "elimination"},
        {"mode": "advanced", "bout": "elimination", "period_timer": "twelve"},
    ],
)
def test_what_the_referee_knows_is_true(options: dict[str, str]) -> None:
    for seed in range(4):
        fence(seed, **options)


@pytest.mark.clause("F14", "F66", "F68")
def test_a_new_hand_keeps_the_mandatory_card() -> None:
    state = fresh()
    cards = dealer.deal(state, 1)
    after, _ = rules().apply(state, "a", Mulligan())
    new = dealer.carry(cards, state, 0, Mulligan(), after)
    assert dealer.agrees(new, after)
    assert new.hands[1] == cards.hands[1]
    assert "straight-thrust-3" in new.hands[0]
    assert new.hands[0] != cards.hands[0]


def two_faces() -> tuple[Fence, State]:
    """An owner's deck whose yellow cards differ in stamina, so that they are two faces."""
    first = next(card.id for card in rules().deck.cards if card.mandatory)
    game = Fence(edit(rules().deck, first, {"sp": 2}))
    return game, game.setup(complete(SPEC.options, {"starter": "a"}), ("a", "b"), 0)


@pytest.mark.clause("F66", "F68")
def test_two_yellow_faces_are_one_in_each_hand() -> None:
    _, state = two_faces()
    yellow = {name for name, face in state.pool.items() if face.mandatory}
    assert len(yellow) == 2
    for seed in range(8):
        cards = dealer.deal(state, seed)
        held = [yellow & set(hand) for hand in cards.hands]
        assert [len(each) for each in held] == [1, 1]
        assert dealer.agrees(cards, state)
        new = dealer.carry(cards, state, 0, Mulligan(), state)
        assert [yellow & set(hand) for hand in new.hands] == held


@pytest.mark.clause("F74", "F90")
def test_the_dealer_keeps_each_of_two_yellow_faces() -> None:
    """Alone neither is given up nor drawn; the other one, or for an exchange a faster one, lets it go."""
    game, state = two_faces()
    state = replace(state, phase=Turn())
    one, two = (name for name, face in state.pool.items() if face.mandatory)
    for yellow in (one, two):
        alone = Cards(((yellow, "stop-hit-4"), ()), (), ())
        assert not dealer.may(alone, state, 0, Exchange(yellow))
        assert not dealer.may(alone, state, 0, Distance(yellow))
        assert dealer.name_card(alone, state, 0, Distance("?")) == Distance("stop-hit-4")
        assert dealer.name_card(alone, state, 0, Exchange("?")) == Exchange("stop-hit-4")
        last = Cards(((yellow,), ()), (), ())
        for action in (Exchange("?"), Distance("?")):
            assert dealer.name_card(last, state, 0, action) == action
            assert not dealer.may(last, state, 0, action)
        faster = Cards(((yellow, "straight-thrust-5"), ()), (), ())
        assert dealer.may(faster, state, 0, Exchange(yellow))
        assert not dealer.may(faster, state, 0, Distance(yellow))
        both = Cards(((one, two), ()), (), ())
        assert dealer.may(both, state, 0, Exchange(yellow))
        assert dealer.may(both, state, 0, Distance(yellow))
        assert not game.judge(state, "a", Exchange(yellow))


def test_hands_say_what_can_really_be_done() -> None:
    state = fresh(mode="advanced")
    cards = dealer.deal(state, 3)
    held = cards.hands[0][0]
    missing = next(name for name in state.pool if name not in cards.hands[0])
    assert dealer.may(cards, state, 0, Exchange(held))
    assert not dealer.may(cards, state, 0, Exchange(missing))
    assert dealer.may(cards, state, 0, PlayCard(held))
    assert not dealer.may(cards, state, 0, PlayCard(missing))
    assert dealer.name_card(cards, state, 0, Stall("?")) == Stall(cards.timer[0])


def test_the_same_seed_deals_the_same_cards() -> None:
    state = fresh()
    assert dealer.deal(state, 5) == dealer.deal(state, 5)
    assert dealer.deal(state, 5) != dealer.deal(state, 6)
