"""Nothing that a seat must not know reaches it: secret choices, and hands that the state does not even hold (law 5)."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from msgspec.structs import replace

from engine.grammar import sentences
from engine.runes.casting import Casting, Forgetting
from engine.runes.laying import Laying
from engine.runes.match import State, wizard_at
from engine.runes.specials import Paying
from referee_simulator.conformance.playouts import encode_value, visible
from tests.engine.runes.tables import honest_match, play, say, start
from tests.engine.runes.turns import GAME, Start, facts, turn_from

EQUALS = [
    ("harvest", "watchman"),
    ("consul", "rite"),
    ("watchman", "borderland"),
    ("rite", "island"),
    ("watchman", "light-keeper"),
    ("consul", "window"),
]
STOCK = ("bard", "sea", "end")


def shared(one: str, two: str) -> State:
    """The shared place of two cards of equal rank, with energy of every suit on both sides."""
    stocks = {"a": STOCK, "b": ("ace-of-suns", "ace-of-waves", "ace-of-leaves")}
    state = turn_from({"a": Start(sequence=stocks["a"]), "b": Start(sequence=stocks["b"]), "c": Start()})
    state = play(state, "a: lay", "b: lay", "c: lay", f"a: reveal {one}", f"b: reveal {two}", "c: reveal mill")
    while isinstance(state.phase, Casting) and len(state.phase.slots[0].seats) == 1:
        state = play(state, f"{min(GAME.actors(state))}: pass")
    return state


def told(state: State, seat: str | None) -> bytes:
    """All that a seat sees, menus and all."""
    menus = tuple(sentences(GAME, state, seat)) if seat in GAME.actors(state) else ()
    return encode_value((GAME.view(state, seat), menus, GAME.layout(state)))


@pytest.mark.clause("R30")
@pytest.mark.parametrize("cards", EQUALS)
def test_a_choice_of_equal_rank_reaches_no_other_seat(cards: tuple[str, str]) -> None:
    state = shared(*cards)
    assert GAME.actors(state) == {"a", "b"}
    for chooser, others in (("a", ("b", "c", None)), ("b", ("a", "c", None))):
        seen: dict[str | None, set[bytes]] = {seat: set() for seat in (*others, chooser)}
        for words in sentences(GAME, state, chooser):
            if words[0] == "counter":
                continue
            after, events = GAME.apply(state, chooser, GAME.read(state, chooser, words))
            for seat, found in seen.items():
                found.add(told(after, seat) + encode_value(visible(events, seat)))
        assert all(len(seen[seat]) == 1 for seat in others)
        assert len(seen[chooser]) >= 5


@pytest.mark.clause("R30")
@pytest.mark.parametrize(("first", "last"), [("cast shield", "pass"), ("pass", "cast shield")])
def test_a_secret_choice_that_comes_out_cannot_be_taken_back_for_a_better_one(first: str, last: str) -> None:
    """Also if one of the two has passed: each learns of the other, so undo stops there."""
    state = play(shared("harvest", "watchman"), f"a: {first}")
    _, events = GAME.apply(state, "b", GAME.read(state, "b", tuple(last.split())))
    assert [event.reveals for event in events if "Shield is announced" in str(event.text)] == [True]


@pytest.mark.clause("R45")
def test_cards_to_be_forgotten_at_equal_rank_are_chosen_in_secret() -> None:
    state = shared("watchman", "light-keeper")
    state = play(state, "a: cast forgetfulness b end", "b: cast forgetfulness a ace-of-leaves")
    for seat in sorted(GAME.actors(state)):
        state = play(state, f"{seat}: pass")
    assert isinstance(state.phase, Forgetting)
    assert GAME.actors(state) == {"a", "b"}
    seen: dict[str | None, set[bytes]] = {"b": set(), "c": set(), None: set()}
    for words in sentences(GAME, state, "a"):
        after, events = GAME.apply(state, "a", GAME.read(state, "a", words))
        for whom, found in seen.items():
            found.add(told(after, whom) + encode_value(visible(events, whom)))
    assert all(len(found) == 1 for found in seen.values())
    state, _ = say(state, "a: forget light-keeper")
    state, events = say(state, "b: forget none")
    assert [event.reveals for event in events if "face down" in str(event.text)] == [True, True]
    assert wizard_at(state, "b").sequence[-1].down


@pytest.mark.clause("R21")
def test_the_state_holds_no_hand() -> None:
    """Whatever cards were dealt: the same lines give the same state."""
    first, lines = honest_match("ab", 1, cap=60)
    state = start("ab", 1)
    for seat, words in lines:
        state, _ = GAME.apply(state, seat, GAME.read(state, seat, words))
    assert encode_value(state) == encode_value(first)
    shown = {card for wizard in state.wizards for card in (q.card for q in wizard.sequence)} | set(state.discards)
    text = encode_value((state.wizards, state.phase, state.discards, state.story)).decode()
    assert not [name for name in state.deck if name not in shown and f'"{name}"' in text and state.shuffles == 0]


@pytest.mark.clause("R47")
def test_a_lot_drawn_anew_for_a_corrected_hand_is_told_to_everybody_and_nothing_else_of_the_seed() -> None:
    """Two seeds whose lots agree until then: what a seat reads differs only where everybody was told a lot."""
    state = turn_from({"a": Start(effects={"confused": (1, 1)}), "b": Start(), "c": Start()})
    lot = facts(state, None)["wizards"]["a"]["lot"]
    others = [replace(state, seed=seed) for seed in range(2, 100)]
    worlds = [state, *(other for other in others if facts(other, None)["wizards"]["a"]["lot"] == lot)]
    drawn = set()
    for world in worlds:
        after, events = GAME.correct(world, ("hand", "a", "3"))
        anew = facts(after, "b")["wizards"]["a"]["lot"]
        lots = [(str(event.text), event.audience, event.reveals) for event in events[1:]]
        assert lots == ([] if anew == lot else [(anew, None, True)])
        assert str(GAME.view(after, "a").prompt) == anew
        drawn.add(anew)
        for words in ("hand b 3", "life a 7", "effect a confused 0", "effect b confused 1"):
            assert len(GAME.correct(world, tuple(words.split()))[1]) == 1
    assert len(drawn) == 3


@pytest.mark.clause("R47")
@pytest.mark.clause("R51")
def test_a_lot_drawn_anew_as_a_confused_wizard_pays_for_a_counter_spell_is_told_to_everybody() -> None:
    state = turn_from({"a": Start(effects={"confused": (1, 1)}), "b": Start()}, counter_times="always")
    first, told = facts(state, None)["wizards"]["a"]["lot"], []
    for line in ("counter b", "pay ace-of-moons", "pay ace-of-wyrms"):
        assert isinstance(state.phase, Laying | Paying)
        state, events = GAME.apply(state, "a", GAME.read(state, "a", tuple(line.split())))
        told += [(str(event.text), event.audience) for event in events]
    lot = facts(state, None)["wizards"]["a"]["lot"]
    assert told[-1] == (lot, None)
    assert [text for text, _ in told].count(first) == (lot == first)


@pytest.mark.clause("R24")
def test_a_laid_card_has_no_kind_before_it_is_revealed() -> None:
    for seats in permutations("abc"):
        state = start("abc")
        for seat in seats:
            state = play(state, f"{seat}: lay")
        zones = GAME.layout(state)
        assert all(zones.zone(f"card-{seat}").pieces[0].kind is None for seat in "abc")


@pytest.mark.thorough
@pytest.mark.parametrize("count", [250, pytest.param(1000, marks=pytest.mark.soak)])
def test_pairs_of_random_states_with_other_secrets(count: int) -> None:
    """At shared places: whoever chose, the others' bytes are the same."""
    rng, pairs = Random(8), 0
    states = [shared(*cards) for cards in EQUALS]
    while pairs < count:
        state, chooser = rng.choice(states), rng.choice("ab")
        choices = [words for words in sentences(GAME, state, chooser) if words[0] != "counter"]
        one, two = rng.sample(choices, 2)
        results = [GAME.apply(state, chooser, GAME.read(state, chooser, words)) for words in (one, two)]
        seat = rng.choice([s for s in ("a", "b", "c", None) if s != chooser])
        here, there = (told(after, seat) + encode_value(visible(events, seat)) for after, events in results)
        assert results[0][0] != results[1][0]
        assert here == there
        pairs += 1
