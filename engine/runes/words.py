"""Words of actions: cards and seats."""

from __future__ import annotations

from engine.errors import Invalid
from engine.game import Words
from engine.rules import Values, Word
from engine.runes.cards import CARDS, rank_name
from engine.runes.match import State
from engine.table import Seat
from engine.text import Text, say, seat_of
from engine.view import NamedCard

JOIN = "+"


class CardWord(Word[State, str]):
    def __init__(self, verb: str) -> None:
        self.missing = say("Which card? {verb} {card}", verb=verb, card="…")

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return CARDS[value]

    def means(self, state: State, value: str, number: int) -> tuple[NamedCard, ...]:
        return (NamedCard(value),)

    def under(self, state: State, value: str, number: int) -> Text | None:
        return rank_name(state.deck[value])

    def read(self, state: State, word: str, before: Values) -> str:
        return card_read(state, word)


class SeatWord(Word[State, Seat]):
    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return seat_text(value)

    def read(self, state: State, word: str, before: Values) -> Seat:
        return seat_read(state, word)


def card_read(state: State, word: str) -> str:
    name = word.removeprefix("the-")
    if name not in state.deck:
        raise Invalid(say("{word} is not a Decktet card. Write cards like this: mountain, light-keeper.", word=name))
    return name


def cards_read(state: State, words: Words) -> tuple[str, ...]:
    """Read cards, joined or apart, and sort them as on the table. Raises Invalid."""
    names = [card_read(state, name) for word in words for name in word.split(JOIN)]
    if len(set(names)) != len(names):
        raise Invalid(say("A card is written twice: {words}", words=" ".join(words)))
    place = {q.card: n for wizard in state.wizards for n, q in enumerate(wizard.sequence)}
    deck = {name: n for n, name in enumerate(state.deck)}
    return tuple(sorted(names, key=lambda name: (place.get(name, len(place)), deck[name])))


def seat_read(state: State, word: str) -> Seat:
    if word not in {wizard.seat for wizard in state.wizards}:
        raise Invalid(say("There is no seat {seat} in this match.", seat=word.upper()))
    return word


def seat_text(seat: Seat) -> Text:
    return seat_of(seat)
