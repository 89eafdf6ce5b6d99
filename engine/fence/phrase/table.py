"""Which answer is legal against what: section 5 of the rules as data."""

from __future__ import annotations

import msgspec

from engine.fence.phrase.state import Blade, Role
from engine.fence.rules import Rules


class Row(msgspec.Struct, frozen=True):
    """The cards that may answer, and whether the card-less defences may."""

    cards: frozenset[str]
    parry: bool = False
    distance: bool = False


def _row(*cards: str, parry: bool = False, distance: bool = False) -> Row:
    return Row(frozenset(cards), parry, distance)


_PLAIN = ("parry-riposte", "ceding-parry", "infighting", "joker")

OPENING: dict[str, Row] = {
    "straight-thrust": _row("stop-hit", *_PLAIN, parry=True, distance=True),
    "beat-thrust": _row("stop-hit", "disengage", *_PLAIN, parry=True, distance=True),  # F143, F163
    "flick": _row("stop-hit", *_PLAIN, parry=True, distance=True),
    "disengage": _row(*_PLAIN, parry=True, distance=True),
    "toe-touch": _row("stop-hit", "joker", distance=True),  # F145
    "glide-attack": _row("disengage", *_PLAIN, parry=True, distance=True),  # F143, F159
    "flanconade": _row("disengage", *_PLAIN, parry=True, distance=True),
    "fleche": _row("stop-hit", "parry-riposte", "ceding-parry", "joker", parry=True, distance=True),  # F152
    "infighting": _row("infighting", "joker", parry=True, distance=True),  # F162
}
"""Answers to an attack, by its kind; to a Renewed Attack the same without Distance (F171)."""

FOLLOWING: dict[Role, Row] = {
    Role.RIPOSTE: _row("stop-hit", "parry-riposte", "ceding-parry", "joker", parry=True),  # F158
    Role.CLOSE_RIPOSTE: _row("infighting", "joker", parry=True),  # F162
    Role.COUNTER: _row("counter-time", "joker"),  # F165
    Role.COUNTER_TIME: _row("feint-in-time"),  # F166, F167
}
"""Answers to everything later."""

SCORING_CEDING = frozenset({"glide-attack", "flanconade"})
"""Attacks that a Ceding Parry scores against at once (F159)."""

AFTER_DEFENCE = frozenset({"renewed-attack", "feint"})
"""Cards that the opener may play once a defence has succeeded (F137, F170)."""


def row(rules: Rules, blade: Blade) -> Row:
    """What may answer an incoming action, under the match's rulings."""
    if blade.role in (Role.ATTACK, Role.RENEWED):
        found = OPENING[blade.kind]
        late = blade.role is Role.RENEWED
    else:
        found, late = FOLLOWING[blade.role], True
    cards = found.cards
    if blade.kind == "toe-touch" and not rules.joker_toe_touch:
        cards = cards - {"joker"}
    if blade.role is Role.COUNTER_TIME and rules.joker_beats_all:
        cards = cards | {"joker"}
    if blade.role is Role.RIPOSTE and rules.counter_time == "ripostes-too":
        cards = cards | {"counter-time"}
    return Row(
        cards,
        parry=found.parry and not rules.tutorial and (not late or rules.late_defence),  # F43, F83
        distance=found.distance and not late,  # F44, F50
    )
