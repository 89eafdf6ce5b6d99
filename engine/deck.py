"""Cards as data that their owner may correct: what is printed on a real deck, where the rulebook does not say.

A game whose cards are so has a deck; the catalogue names its factory (`GameSpec.deck`). It is corrected between
matches, at the table or with `referee deck`, and the game is made anew from it. Pure.

What was corrected is part of a match's first entry (law 1): `corrections` writes it down, `correct` reads it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, Protocol

import msgspec

from engine.errors import Invalid
from engine.game import Choice, Game
from engine.text import Text, say


class Copy(msgspec.Struct, frozen=True):
    """One card of the box. kinds: what a camera may call it, whose pictures may be older than the numbers."""

    id: str
    text: Text
    kinds: frozenset[str]


class Number(msgspec.Struct, frozen=True):
    """A number or a mark that is printed on a card. choices: what it may be. now: the word of what it is taken for."""

    name: str
    title: Text
    choices: tuple[Choice, ...]
    now: str


class DeckFault(msgspec.Struct, frozen=True):
    """Something in a deck that the rules exclude.

    clause: of the rules. where: which mode, kind or copy, as data calls it. problem: what is wrong. said: all in one
    sentence, as people call it.
    """

    clause: str
    where: str
    problem: Text
    said: Text


class Deck(Hashable, Protocol):
    """Every method is a pure function of its arguments. A copy or number that there is not raises KeyError."""

    def copies(self) -> tuple[Copy, ...]:
        """Every card of the box, alike ones beside each other."""
        ...

    def numbers(self, copy: str) -> tuple[Number, ...]:
        """Return the numbers printed on a card that may be corrected."""
        ...

    def correct(self, copy: str, number: str, word: str) -> Deck:
        """The deck as its owner reads it, whatever the rules say of it."""
        ...

    def faults(self) -> tuple[DeckFault, ...]:
        """Return the faults of a deck by the rules; () if it can be right."""
        ...

    def sizes(self) -> dict[str, int]:
        """Return how many of the cards each way to play uses."""
        ...

    def data(self) -> tuple[dict[str, Any], ...]:
        """Every card as plain data, by the keys of its file: `NAME_source` says where the value of NAME comes from."""
        ...

    def game(self) -> Game[Any, Any]:
        """The game with these cards."""
        ...

    def toml(self) -> str:
        """The data file (`GameSpec.data["deck"]`) that gives this deck again."""
        ...


def corrections(deck: Deck, shipped: Deck) -> dict[str, str]:
    """Return where a deck differs from the shipped one: the word of each number by its place, such as {"RF01.sp":
    "2"}."""
    was = _words(shipped)
    return {place: word for place, word in _words(deck).items() if was.get(place) != word}


def correct(shipped: Deck, words: Mapping[str, str]) -> Deck:
    """The shipped deck with these corrections. Raises Invalid for a card, number or word that there is not."""
    deck = shipped
    for place, word in words.items():
        copy, _, name = place.partition(".")
        if not any(each.id == copy for each in deck.copies()):
            raise Invalid(say("There is no card {card}.", card=copy))
        number = next((each for each in deck.numbers(copy) if each.name == name), None)
        if number is None or all(choice.word != word for choice in number.choices):
            raise Invalid(say("{number} of card {card} cannot be {word}.", number=name, card=copy, word=word))
        deck = deck.correct(copy, name, word)
    return deck


@lru_cache(maxsize=8)  # a table has few decks, and each match that begins asks for what was corrected
def _words(deck: Deck) -> Mapping[str, str]:
    return {f"{copy.id}.{number.name}": number.now for copy in deck.copies() for number in deck.numbers(copy.id)}
