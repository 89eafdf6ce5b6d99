"""What speaks against a card as the first of a phrase, or as the new attack of a Feint (F25, F71, F141-F150)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Breach
from engine.fence.cards import ATTACKS, KINDS, LUNGE, WEAPONS, Weapon
from engine.fence.rules import Rules
from engine.text import Text, say


def against_opening(rules: Rules, kind: str, distance: int, other: Weapon) -> Iterator[Breach]:
    """Every breach of playing an attack of `kind` at `distance` against a weapon in position `other`."""
    card = KINDS[kind]
    if kind not in ATTACKS:
        yield from _not_red(kind, card.name)
        return
    if rules.tutorial and distance != LUNGE:
        yield Breach("F33", say("A phrase is opened at a distance of one square."))
    elif distance != card.gap:
        yield _too_far(kind, card.name, distance)
    if other not in card.against and not (kind == "disengage" and rules.disengage == "always"):
        position = WEAPONS[other]
        text = say("{card} cannot be played against {position}.", card=card.name, position=position)
        yield Breach(card.clause, text)


def _not_red(kind: str, name: Text) -> Iterator[Breach]:
    """What the card itself says of being first, if anything, then F25."""
    match kind:
        case "joker":
            yield Breach("F167", say("A Joker is never the first card."))
        case "parry-riposte":
            yield Breach("F49", say("{card} is first used as a parry.", card=name))
        case "renewed-attack" | "feint":
            yield Breach(KINDS[kind].clause, say("{card} is played after a defence.", card=name))
        case "angulations":
            yield Breach("F169", say("Angulations go with another card."))
        case _:
            pass
    yield Breach("F25", say("The first card must be an attack, not {card}.", card=name))


def _too_far(kind: str, name: Text, distance: int) -> Breach:
    clause = {"fleche": "F150", "infighting": "F161"}.get(kind, "F71")
    gap = KINDS[kind].gap or 0
    text = say("{card} is played at a distance of {gap}, not of {distance}.", card=name, gap=gap, distance=distance)
    return Breach(clause, text)
