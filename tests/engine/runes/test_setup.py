"""Deck and set-up (R1-R6, R8-R10)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from engine.errors import Invalid
from engine.runes import create
from engine.runes.cards import ACTIVATION, CARDS, ENERGY, EXCUSE, height
from engine.runes.match import pile, wizard_at
from tests.engine.runes.tables import refused, start
from tests.engine.runes.turns import GAME

DECK = start().deck
CONFIG = Path(__file__).resolve().parents[3] / "config"


@pytest.mark.clause("R1")
@pytest.mark.parametrize("seats", ["a", "ab", "abc", "abcd"])
def test_one_to_four_players(seats: str) -> None:
    state = start(seats)
    assert len(state.wizards) == max(2, len(seats))
    assert GAME.actors(state) == frozenset(seats)


@pytest.mark.clause("R1")
@pytest.mark.clause("R60")
@pytest.mark.parametrize(("seats", "opponent"), [("ab", "automatic"), ("a", "none"), ("abcd", "automatic")])
def test_one_player_has_an_opponent_and_several_have_none(seats: str, opponent: str) -> None:
    with pytest.raises(Invalid):
        start(seats, opponent=opponent)


@pytest.mark.clause("R2")
def test_the_extended_deck_has_45_cards() -> None:
    assert len(DECK) == 45
    assert set(DECK) == set(CARDS)
    assert all(str(CARDS[name]) == card.name for name, card in DECK.items())
    assert [name for name, card in DECK.items() if not card.suits] == [EXCUSE]
    by_runes = sorted((len(card.activation), len(card.energy)) for name, card in DECK.items() if name != EXCUSE)
    expected = [(1, 1)] * 16 + [(1, 0)] * 6 + [(0, 1)] * 6 + [(1, 2)] * 5 + [(2, 0)] * 4 + [(0, 2)] * 4
    assert by_runes == sorted([*expected, (2, 1), (2, 1), (3, 0)])


@pytest.mark.clause("R2")
def test_the_excuse_is_in_no_hand() -> None:
    assert refused(start(), "a: lay") == ()
    state = start()
    assert pile(state) == 35
    assert EXCUSE not in [c.word for c in GAME.choices(state, "a", ("reveal",))]


@pytest.mark.clause("R4")
@pytest.mark.clause("R5")
def test_five_cards_and_twelve_life() -> None:
    for wizard in start("abcd").wizards:
        assert (wizard.held, wizard.life) == (5, 12)


@pytest.mark.clause("R6")
def test_a_stronger_player_starts_with_less_life() -> None:
    state = start("ab", life_a=7)
    assert (wizard_at(state, "a").life, wizard_at(state, "b").life) == (7, 12)


@pytest.mark.clause("R8")
@pytest.mark.clause("R9")
@pytest.mark.clause("R10")
def test_every_suit_is_a_rune_of_one_of_two_sorts() -> None:
    for name, card in DECK.items():
        assert set(card.activation) | set(card.energy) == set(card.suits)
        assert name == EXCUSE or 1 <= len(card.suits) <= 3
    for suit in (*ACTIVATION, *ENERGY):
        assert sum(suit in card.suits for card in DECK.values()) == 14


@pytest.mark.clause("R26")
def test_ranks_rise_from_ace_to_crown() -> None:
    names = ["ace-of-moons", "author", "journey", "pact", "harvest", "consul", "huntress"]
    heights = [height(DECK[name], "low") for name in names]
    assert heights == sorted(set(heights))
    assert height(DECK["ace-of-moons"], "high") > height(DECK["huntress"], "high")


def test_the_deck_comes_from_config_and_is_checked() -> None:
    with pytest.raises(msgspec.ValidationError):
        create({"deck": {"cards": [{"id": "x", "name": "X", "rank": "2", "suits": 3}]}})
    with pytest.raises(KeyError):
        create({})


def test_the_set_for_recognition_has_the_same_cards() -> None:
    kinds = tomllib.loads((CONFIG / "sets" / "decktet.toml").read_text(encoding="utf-8"))["kinds"]
    assert set(kinds) == set(DECK)
