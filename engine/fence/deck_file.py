"""A deck as text: config/decks/fence.toml, written back after its owner corrected a copy."""

from __future__ import annotations

import msgspec

from engine.fence.deck import Card, Deck

HEADER = """\
# Ready... Fence!: the 54 cards. The rulebook leaves stamina costs, marks and several speeds open: correct each copy
# against your own deck with `referee deck edit fence`, which marks what you enter as "owner".
# source of a value: "seed" (the rulebook names it), "owner", "assumed". speed: none for kinds without one; the +2 of
# Angulations and of Renewed Attack is part of their texts. sp: stamina points. mark_T, mark_B: tutorial, basic mode.
"""


def toml_of(deck: Deck) -> str:
    """The whole file; `tomllib` and `read_deck` give the same deck again."""
    return HEADER + "".join(_card(card) for card in deck.cards)


def _card(card: Card) -> str:
    values = {name: value for name, value in msgspec.to_builtins(card).items() if value is not None}
    if not card.mandatory:
        del values["mandatory"]
    return "\n[[cards]]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in values.items())


def _value(value: str | int | bool) -> str:
    """A value in TOML, whose strings and truth values are those of JSON."""
    return msgspec.json.encode(value).decode()
