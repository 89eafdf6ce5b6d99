"""The deck as an `engine.deck.Deck`, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.deck import Copy, DeckFault, Number
from engine.fence import Fence
from engine.fence.cards import KINDS, TOTALS, Card, Deck, cards_of, check, edit, names, read_deck
from engine.fence.cards import CardFault as Found
from engine.fence.table import TRACK
from engine.game import Choice
from engine.text import Text, say

SPEEDS = range(1, 10)


class OwnedDeck:
    def __init__(self, deck: Deck) -> None:
        self._deck = deck

    def copies(self) -> tuple[Copy, ...]:
        return tuple(Copy(card.id, _text(card), names(card)) for card in self._deck.cards)

    def numbers(self, copy: str) -> tuple[Number, ...]:
        card = self._card(copy)
        speeds, points = tuple(map(_figure, SPEEDS)), tuple(map(_figure, range(TRACK + 1)))
        numbers = (
            Number("speed", say("Speed"), speeds, str(card.speed)),
            Number("sp", say("Stamina points"), points, str(card.sp)),
            Number("mark_T", say("Mark T"), _marks(), _word(card.mark_t)),
            Number("mark_B", say("Mark B"), _marks(), _word(card.mark_b)),
        )
        return numbers if KINDS[card.kind].timed else numbers[1:]

    def correct(self, copy: str, number: str, word: str) -> OwnedDeck:
        found = {each.name: each for each in self.numbers(copy)}[number]
        value = word == _word(True) if found.choices == _marks() else int(word)
        return OwnedDeck(edit(self._deck, copy, {number: value}))

    def faults(self) -> tuple[DeckFault, ...]:
        return tuple(DeckFault(each.clause, each.where, each.problem, _value_text(each)) for each in check(self._deck))

    def sizes(self) -> dict[str, int]:
        return {mode: len(cards_of(self._deck, mode)) for mode in TOTALS}

    def data(self) -> tuple[dict[str, Any], ...]:
        return tuple(msgspec.to_builtins(card) for card in self._deck.cards)

    def game(self) -> Fence:
        return Fence(self._deck)

    def toml(self) -> str:
        return toml_of(self._deck)

    def _card(self, copy: str) -> Card:
        found = next((card for card in self._deck.cards if card.id == copy), None)
        if found is None:
            raise KeyError(copy)
        return found


def owned(data: Mapping[str, Any]) -> OwnedDeck:
    """Read `data["deck"]` (config/decks/fence.toml). Raises KeyError or msgspec.ValidationError."""
    return OwnedDeck(read_deck(data["deck"]))


def _text(card: Card) -> Text:
    kind = KINDS[card.kind].name
    if card.speed is None:
        return say("{copy} {card}", card=kind, copy=card.id)
    return say("{copy} {card} {speed}", card=kind, speed=card.speed, copy=card.id)


def _value_text(fault: Found) -> Text:
    return say("{where}: {problem} ({clause}).", where=_where(fault), problem=fault.problem, clause=fault.clause)


def _where(fault: Found) -> Text:
    modes = {"tutorial": say("Tutorial"), "basic": say("Basic"), "advanced": say("Advanced")}
    kind = KINDS.get(fault.where)
    return modes.get(fault.where, Text(fault.where)) if kind is None else kind.name


def _figure(number: int) -> Choice:
    return Choice(str(number), Text(str(number)), True)


def _marks() -> tuple[Choice, ...]:
    return (Choice(_word(True), say("Yes"), True), Choice(_word(False), say("No"), True))


def _word(mark: bool) -> str:
    return "yes" if mark else "no"


# --- its file

HEADER = """\
# Ready... Fence!: the 54 cards. The rulebook leaves stamina costs, marks and several speeds open: correct each copy
# against your own deck with `referee deck edit fence`, which marks what you enter as "owner".
# source of a value: "seed" (the rulebook names it), "owner", "assumed". speed: none for kinds without one; the +2 of
# Angulations and of Renewed Attack is part of their texts. sp: stamina points. mark_T, mark_B: tutorial, basic mode.
"""


def toml_of(deck: Deck) -> str:
    return HEADER + "".join(_card(card) for card in deck.cards)


def _card(card: Card) -> str:
    values = {name: value for name, value in msgspec.to_builtins(card).items() if value is not None}
    if not card.mandatory:
        del values["mandatory"]
    return "\n[[cards]]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in values.items())


def _value(value: str | int | bool) -> str:
    return msgspec.json.encode(value).decode()
