"""The Decktet in this game: suits are energy or activation runes, ranks order spells (R8-R11)."""

from __future__ import annotations

from functools import cache

import msgspec

from engine.text import Text, say

ACTIVATION = ("moons", "wyrms", "knots")
"""Runes that turn energy into spells, in order of resolution (R10)."""

ENERGY = ("suns", "waves", "leaves")
"""Runes that power spells (R9)."""

RANKS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "pawn", "court", "crown")

EXCUSE = "excuse"


class DecktetCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card of config/decks/decktet.toml; `types` is unused."""

    id: str
    name: str
    rank: str
    suits: tuple[str, ...]
    types: tuple[str, ...] = ()

    @property
    def activation(self) -> tuple[str, ...]:
        """Activation runes in order of resolution."""
        return _among(ACTIVATION, self.suits)

    @property
    def energy(self) -> tuple[str, ...]:
        return _among(ENERGY, self.suits)


@cache
def _among(runes: tuple[str, ...], suits: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(rune for rune in runes if rune in suits)


Deck = dict[str, DecktetCard]


def height(card: DecktetCard, ace: str) -> int:
    """Return a card's rank from 1; 0 for the Excuse. ace: "low", or "high" above the Crowns."""
    if card.rank not in RANKS:
        return 0
    return len(RANKS) + 1 if card.rank == "ace" and ace == "high" else RANKS.index(card.rank) + 1


# --- for people

CARDS: dict[str, Text] = {
    "excuse": say("The Excuse"),
    "ace-of-moons": say("Ace of Moons"),
    "ace-of-suns": say("Ace of Suns"),
    "ace-of-waves": say("Ace of Waves"),
    "ace-of-leaves": say("Ace of Leaves"),
    "ace-of-wyrms": say("Ace of Wyrms"),
    "ace-of-knots": say("Ace of Knots"),
    "author": say("The Author"),
    "desert": say("The Desert"),
    "origin": say("The Origin"),
    "journey": say("The Journey"),
    "painter": say("The Painter"),
    "savage": say("The Savage"),
    "mountain": say("The Mountain"),
    "sailor": say("The Sailor"),
    "battle": say("The Battle"),
    "forest": say("The Forest"),
    "discovery": say("The Discovery"),
    "soldier": say("The Soldier"),
    "lunatic": say("The Lunatic"),
    "penitent": say("The Penitent"),
    "market": say("The Market"),
    "chance-meeting": say("The Chance Meeting"),
    "castle": say("The Castle"),
    "cave": say("The Cave"),
    "diplomat": say("The Diplomat"),
    "mill": say("The Mill"),
    "betrayal": say("The Betrayal"),
    "pact": say("The Pact"),
    "darkness": say("The Darkness"),
    "merchant": say("The Merchant"),
    "harvest": say("The Harvest"),
    "watchman": say("The Watchman"),
    "light-keeper": say("The Light Keeper"),
    "borderland": say("The Borderland"),
    "consul": say("The Consul"),
    "rite": say("The Rite"),
    "island": say("The Island"),
    "window": say("The Window"),
    "huntress": say("The Huntress"),
    "bard": say("The Bard"),
    "sea": say("The Sea"),
    "end": say("The End"),
    "calamity": say("The Calamity"),
    "windfall": say("The Windfall"),
}

SUITS: dict[str, Text] = {
    "moons": say("Moons"),
    "suns": say("Suns"),
    "waves": say("Waves"),
    "leaves": say("Leaves"),
    "wyrms": say("Wyrms"),
    "knots": say("Knots"),
}


_RANKED: dict[str, Text] = {
    "ace": say("Aces"),
    "pawn": say("Pawns"),
    "court": say("Courts"),
    "crown": say("Crowns"),
}


def rank_name(card: DecktetCard) -> Text:
    if card.rank not in RANKS:
        return CARDS[EXCUSE]
    return _RANKED.get(card.rank) or say("Rank {rank}", rank=card.rank)


def list_cards(cards: tuple[str, ...]) -> Text:
    if not cards:
        return say("nothing")
    if len(cards) == 1:
        return CARDS[cards[0]]
    return say("{first}, {rest}", first=CARDS[cards[0]], rest=list_cards(cards[1:]))
