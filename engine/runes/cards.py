"""The Decktet as the game uses it: suits are runes, ranks are an order (R8-R11, R26)."""

from __future__ import annotations

from functools import cache

import msgspec

ACTIVATION = ("moons", "wyrms", "knots")
"""The runes that turn energy into a spell, in the order in which they resolve (R10, R25)."""

ENERGY = ("suns", "waves", "leaves")
"""The runes that power spells (R9)."""

RANKS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "pawn", "court", "crown")
"""From low to high; the Excuse has no rank."""

EXCUSE = "excuse"


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card of config/decks/decktet.toml. types are not used by this game."""

    id: str
    name: str
    rank: str
    suits: tuple[str, ...]
    types: tuple[str, ...] = ()

    @property
    def activation(self) -> tuple[str, ...]:
        """Its activation runes, in the order in which they resolve (R10)."""
        return _among(ACTIVATION, self.suits)

    @property
    def energy(self) -> tuple[str, ...]:
        """Its energy runes (R9)."""
        return _among(ENERGY, self.suits)


@cache
def _among(runes: tuple[str, ...], suits: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(rune for rune in runes if rune in suits)


Deck = dict[str, Card]
"""The cards by id."""


def height(card: Card, ace: str) -> int:
    """How high a card ranks, from 1; 0 for the Excuse. ace: "low", or "high" for above the Crowns."""
    if card.rank not in RANKS:
        return 0
    return len(RANKS) + 1 if card.rank == "ace" and ace == "high" else RANKS.index(card.rank) + 1
