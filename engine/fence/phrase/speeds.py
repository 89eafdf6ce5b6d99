"""How fast an action is, and why (section 6 of the rules): the printed number, the weapons, Angulations."""

from __future__ import annotations

import msgspec

from engine.fence.cards import EXTRA, GLIDE_RIPOSTE, KINDS, Weapon
from engine.fence.phrase.state import Speed
from engine.fence.rules import Rules

POSITION, INVITATION, ENGAGEMENT = "position", "invitation", "engagement"
ANGULATIONS, RENEWED = "angulations", "renewed"
"""Names of what is added to a printed speed."""


class Arms(msgspec.Struct, frozen=True):
    """The weapon positions of the player of an action and of the opponent."""

    own: Weapon
    other: Weapon


_BEATS = {
    Weapon.LINE: Weapon.INVITATION,
    Weapon.INVITATION: Weapon.ENGAGEMENT,
    Weapon.ENGAGEMENT: Weapon.LINE,
}
"""F72."""


def _holds(rules: Rules, holder: Weapon, position: Weapon, other: Weapon) -> bool:
    """Whether a position has its effect: always, or only when it beats the other (F72a)."""
    return holder is position and (rules.positions == "always" or _BEATS[position] is other)


def attack(rules: Rules, kind: str, base: int, arms: Arms, boosted: bool = False) -> Speed:
    """An attack by a card (F141, F142, F148, F169), 1 less against an Engagement but for Disengage (F72a, F144)."""
    card = KINDS[kind]
    parts: list[tuple[str, int]] = []
    if card.boost and arms.own in card.own and arms.other in card.other:
        parts.append((POSITION, card.boost))
    if boosted:
        parts.append((ANGULATIONS, EXTRA))
    if kind != "disengage" and _holds(rules, arms.other, Weapon.ENGAGEMENT, arms.own):
        parts.append((ENGAGEMENT, -1))
    return Speed(base, tuple(parts))


def answer(rules: Rules, base: int, arms: Arms, boosted: bool = False) -> Speed:
    """A blue or cyan card: 1 more in Invitation (F72a), 2 more with Angulations (F169)."""
    parts: list[tuple[str, int]] = []
    if _holds(rules, arms.own, Weapon.INVITATION, arms.other):
        parts.append((INVITATION, 1))
    if boosted:
        parts.append((ANGULATIONS, EXTRA))
    return Speed(base, tuple(parts))


def riposte(rules: Rules, kind: str, printed: int, arms: Arms, with_glide: bool = False) -> Speed:
    """The riposte after a parry: F157, F147, F162. It counts as a Straight Thrust."""
    slower = 0 if kind == "infighting" and rules.infighting_riposte == "full" else 2
    base = GLIDE_RIPOSTE if with_glide else printed - slower
    if not rules.riposte_position:
        return Speed(base)
    return attack(rules, "straight-thrust", base, arms)


def renewed(first: Speed) -> Speed:
    """The first attack again, 2 faster (F170)."""
    return Speed(first.base, (*first.parts, (RENEWED, EXTRA)))


def parry_cost(rules: Rules, speed: int, arms: Arms) -> int:
    """Stamina points of a card-less Parry: 1 for every 2 of the attack's speed (F86, F88)."""
    against = speed - (1 if _holds(rules, arms.own, Weapon.INVITATION, arms.other) else 0)
    return max(0, (against + 1) // 2 if rules.parry_rounding == "up" else against // 2)
