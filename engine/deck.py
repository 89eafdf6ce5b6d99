"""Cards as data that an owner may correct between matches, for values that the rulebook does not print.

A match's first entry holds the corrections (law 1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, Protocol

import msgspec

from engine.errors import Invalid
from engine.game import Choice, Game
from engine.text import Text, say


class Copy(msgspec.Struct, frozen=True):
    """A card of the box. kinds: names that a camera may give it, even by pictures older than the numbers."""

    id: str
    text: Text
    kinds: frozenset[str]


class Number(msgspec.Struct, frozen=True):
    """A number or mark printed on a card. choices: possible values; now: the word of the current value."""

    name: str
    title: Text
    choices: tuple[Choice, ...]
    now: str


class DeckFault(msgspec.Struct, frozen=True):
    """A fault of a deck by the rules.

    where: mode, kind or copy, by its key in the data
    said: the whole as a sentence"""

    clause: str
    where: str
    problem: Text
    said: Text


class Deck(Hashable, Protocol):
    """Pure functions over a deck. An unknown copy or number raises KeyError."""

    def copies(self) -> tuple[Copy, ...]:
        """Return all cards of the box, equal ones side by side."""
        ...

    def numbers(self, copy: str) -> tuple[Number, ...]: ...

    def correct(self, copy: str, number: str, word: str) -> Deck:
        """Return the deck with this correction, legal or not. word: of one of the number's choices."""
        ...

    def faults(self) -> tuple[DeckFault, ...]: ...

    def sizes(self) -> dict[str, int]:
        """Return the number of cards by mode."""
        ...

    def data(self) -> tuple[dict[str, Any], ...]:
        """Return all cards as plain data, keyed as in their file; `NAME_source` is the source of NAME."""
        ...

    def game(self) -> Game[Any, Any]: ...

    def toml(self) -> str:
        """Return the data file (`GameSpec.data["deck"]`) that describes this deck."""
        ...


def corrections(deck: Deck, shipped: Deck) -> dict[str, str]:
    """Return the words that differ from the shipped deck, by "CARD.NUMBER", such as {"RF01.sp": "2"}."""
    was = _words(shipped)
    return {place: word for place, word in _words(deck).items() if was.get(place) != word}


def correct(shipped: Deck, words: Mapping[str, str]) -> Deck:
    """Return the deck with corrections. words: see `corrections`. Raises Invalid for an unknown card, number or
    word."""
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


@lru_cache(maxsize=8)  # a table has few decks, and each new match asks for the corrections
def _words(deck: Deck) -> Mapping[str, str]:
    return {f"{copy.id}.{number.name}": number.now for copy in deck.copies() for number in deck.numbers(copy.id)}
