"""The real cards beside the match: honest players are never refused, cheats need cards that they have."""

from __future__ import annotations

from random import Random

import pytest

from engine.runes.cards import EXCUSE
from engine.runes.hands import possible
from engine.runes.match import State, people, pile
from referee_simulator.conformance.physics import faults
from referee_simulator.dealers.runes import CardLocations, deal
from tests.engine.runes.tables import DEALER, EVIDENCE, SELDOM, honest_match, start, stepped
from tests.engine.runes.turns import GAME


@pytest.mark.clause("R2")
@pytest.mark.clause("R3")
@pytest.mark.clause("R4")
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("excuse", ["after", "before"])
def test_five_cards_each_and_the_excuse_in_the_middle(count: int, excuse: str) -> None:
    deck, seats = start().deck, tuple("abcd"[:count])
    table = deal(deck, seats, 7, excuse)
    dealt = [card for hand in table.hands.values() for card in hand]
    assert [len(hand) for hand in table.hands.values()] == [5] * count
    assert sorted((*dealt, *table.pile)) == sorted(deck)
    above = table.pile.index(EXCUSE)
    assert above == ((44 - 5 * count) // 2 if excuse == "after" else 22 - 5 * count)


def test_dealing_depends_on_the_seed_alone() -> None:
    deck = start().deck
    assert deal(deck, ("a", "b"), 3) == deal(deck, ("a", "b"), 3)
    assert deal(deck, ("a", "b"), 3) != deal(deck, ("a", "b"), 4)


def check_truth(state: State, table: CardLocations) -> None:
    """What is in a hand can be there as far as the referee knows, and the numbers agree."""
    assert pile(state) == len(table.pile)
    for wizard in people(state):
        held = (*table.hands[wizard.seat], *((table.laid[wizard.seat],) if wizard.laid else ()))
        assert len(wizard.hand) == len(held)
        assert set(held) <= set(possible(state, wizard))


@pytest.mark.quick(1)
@pytest.mark.clause("R58")
@pytest.mark.parametrize("seats", ["a", "ab", "abc", "abcd"])
def test_the_referee_never_rules_out_what_is_in_a_hand(seats: str) -> None:
    rng = Random(len(seats))
    state = start(seats, 11)
    table = deal(state.deck, tuple(seats), 11)
    for _ in range(1500):
        if GAME.outcome(state) is not None:
            break
        check_truth(state, table)
        seat = rng.choice(sorted(GAME.actors(state)))
        words: tuple[str, ...] = ()
        final = False
        while not final:
            allowed = [w for w in DEALER.honest(table, state, seat, words) if w not in SELDOM or rng.random() < 0.2]
            word = rng.choice(allowed or DEALER.honest(table, state, seat, words))
            final = next(c.final for c in GAME.choices(state, seat, words) if c.word == word)
            words = (*words, word)
        state, table = stepped(rng, table, state, seat, words)


@pytest.mark.thorough
def test_cheats_are_named_possible_and_made_of_real_cards() -> None:
    rng, kinds = Random(5), set()
    for seed in range(3):
        state = start("ab", seed)
        table = deal(state.deck, ("a", "b"), seed)
        for number in range(700):
            if GAME.outcome(state) is not None:
                break
            seat = rng.choice(sorted(GAME.actors(state)))
            if number % 18 == 0:
                for cheater in "ab":
                    for attempt in DEALER.cheats(table, state, cheater):
                        kinds.add(attempt.kind)
                        assert attempt.by == cheater
                        assert faults(GAME.layout(state), attempt.trace) == ()
            words: tuple[str, ...] = ()
            while not (words and _final(state, seat, words)):
                words = (*words, rng.choice(DEALER.honest(table, state, seat, words)))
            state, table = stepped(rng, table, state, seat, words)
    assert kinds <= set(EVIDENCE)
    assert len(kinds) >= 12


def _final(state: State, seat: str, words: tuple[str, ...]) -> bool:
    return next(c.final for c in GAME.choices(state, seat, words[:-1]) if c.word == words[-1])


@pytest.mark.quick(1)
@pytest.mark.parametrize("seats", ["a", "ab", "abc", "abcd"])
def test_honest_matches_end(seats: str) -> None:
    state, _ = honest_match(seats, 2, **{f"life_{seat}": 5 for seat in seats})
    assert GAME.outcome(state) is not None
