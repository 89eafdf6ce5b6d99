"""The twelve basic spells as one table (R20, R29, R33-R47), and what the two special spells cost (R50)."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Does(StrEnum):
    """What a spell does to its target."""

    EFFECT = "effect"  # starts or prolongs the effect named in `effect`
    HEAL = "heal"
    HURT = "hurt"
    DRAIN = "drain"
    FORGET = "forget"


class Spell(msgspec.Struct, frozen=True):
    """A basic spell. suit: whose energy runes it uses; None for none. guard: the effect that protects against it.

    delay: turns until its effect begins.
    """

    name: str
    rune: str
    suit: str | None
    does: Does
    effect: str = ""
    guard: str = ""
    physical: bool = False
    delay: int = 0


SPELLS: dict[str, Spell] = {
    spell.name: spell
    for spell in (
        Spell("cold-ward", "moons", "suns", Does.EFFECT, effect="cold-ward"),
        Spell("heat-ward", "moons", "waves", Does.EFFECT, effect="heat-ward"),
        Spell("heal", "moons", "leaves", Does.HEAL),
        Spell("shield", "moons", None, Does.EFFECT, effect="shield"),
        Spell("fireball", "wyrms", "suns", Does.HURT, guard="heat-ward", physical=True),
        Spell("ice-bolt", "wyrms", "waves", Does.HURT, guard="cold-ward", physical=True),
        Spell("drain", "wyrms", "leaves", Does.DRAIN, guard="shield"),
        Spell("jab", "wyrms", None, Does.HURT, guard="shield", physical=True),
        Spell("haste", "knots", "suns", Does.EFFECT, effect="haste", delay=1),
        Spell("invisibility", "knots", "waves", Does.EFFECT, effect="invisible", delay=1),
        Spell("forgetfulness", "knots", "leaves", Does.FORGET),
        Spell("confusion", "knots", None, Does.EFFECT, effect="confused", guard="shield", delay=1),
    )
}

PRICES = {"counter": 2, "mirror": 3}
"""Different activation runes that a special spell needs (R50)."""


def of_rune(rune: str) -> tuple[Spell, ...]:
    """The row of an activation rune (R20)."""
    return tuple(spell for spell in SPELLS.values() if spell.rune == rune)
