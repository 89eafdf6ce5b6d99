"""What docs/rules/runes.md says in tables: the Decktet, the twelve basic spells, and what a special spell costs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

RULES = Path(__file__).parents[3] / "docs" / "rules" / "runes.md"
ACTIVATIONS = ("moons", "wyrms", "knots")  # R10, in the order of R25
# The table of basic spells: name -> (activation, energy or None).
SPELLS: Mapping[str, tuple[str, str | None]] = {
    "Cold Ward": ("moons", "suns"),
    "Heat Ward": ("moons", "waves"),
    "Heal": ("moons", "leaves"),
    "Shield": ("moons", None),
    "Fireball": ("wyrms", "suns"),
    "Ice Bolt": ("wyrms", "waves"),
    "Drain": ("wyrms", "leaves"),
    "Jab": ("wyrms", None),
    "Haste": ("knots", "suns"),
    "Invisibility": ("knots", "waves"),
    "Forgetfulness": ("knots", "leaves"),
    "Confusion": ("knots", None),
}
PHYSICAL = ("Fireball", "Ice Bolt", "Jab")  # R37, R38, R40
# Which lasting effect keeps a spell off its target (R33, R34, R36).
GUARD = {"Ice Bolt": "Cold Ward", "Fireball": "Heat Ward", "Jab": "Shield", "Drain": "Shield", "Confusion": "Shield"}


@dataclass(frozen=True)
class Card:
    """One card of section 1: the order of its rank (the Excuse: 0) and its suits."""

    name: str
    order: int
    suits: tuple[str, ...]


def deck() -> dict[str, Card]:
    """The 45 cards as section 1 tabulates them."""
    cards = {}
    for line in RULES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 7 and re.fullmatch(r"\d+|-", cells[2]):
            suits = () if cells[3] == "-" else tuple(cells[3].split(", "))
            cards[cells[0]] = Card(cells[0], int(cells[2].strip("-") or 0), suits)
    return cards


DECK = deck()


def pays(cards: Sequence[str], number: int) -> bool:
    """Whether these cards show `number` different activation runes, each card at least one of those counted (R50)."""
    if not 1 <= len(cards) <= number or len(set(cards)) < len(cards):
        return False
    for counted in combinations(ACTIVATIONS, number):
        for givers in product(cards, repeat=number):
            shown = all(rune in DECK[giver].suits for rune, giver in zip(counted, givers, strict=True))
            if shown and set(givers) == set(cards):
                return True
    return False
