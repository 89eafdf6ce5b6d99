"""The 18 kinds of cards: names, colours, and what their texts say of them as attacks (F71, F141-F175)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.text import Text, say


class Colour(StrEnum):
    """F175: red attacks, blue parries, cyan counter-attacks, orange helps an attack, gold is the Joker."""

    RED = "red"
    BLUE = "blue"
    CYAN = "cyan"
    ORANGE = "orange"
    GOLD = "gold"


class Weapon(StrEnum):
    """Weapon positions (F7)."""

    LINE = "line"
    INVITATION = "invitation"
    ENGAGEMENT = "engagement"


WEAPONS: dict[Weapon, Text] = {
    Weapon.LINE: say("Point-in-Line"),
    Weapon.INVITATION: say("Invitation"),
    Weapon.ENGAGEMENT: say("Engagement"),
}

ANY = frozenset(Weapon)


class Kind(msgspec.Struct, frozen=True):
    """One kind of card.

    copies: in the whole deck. timed: it has a speed. gap: the distance at which it opens a phrase (None: never).
    against: positions of the opponent's weapon in which it may open one. boost: added if `own` and `other` are the
    weapons of its player and of the opponent. clause: its text.
    """

    name: Text
    colours: tuple[Colour, ...]
    copies: int
    clause: str
    timed: bool = True
    gap: int | None = None
    against: frozenset[Weapon] = ANY
    boost: int = 0
    own: frozenset[Weapon] = ANY
    other: frozenset[Weapon] = frozenset()


_R, _B, _C, _O, _G = Colour
_NOT_INVITED = frozenset({Weapon.LINE, Weapon.ENGAGEMENT})
_LINE = frozenset({Weapon.LINE})

LUNGE, SHORT, LONG = 1, 0, 2
"""Distances in empty squares (F71)."""

KINDS: dict[str, Kind] = {
    "straight-thrust": Kind(
        say("Straight Thrust"),
        (_R,),
        6,
        "F141",
        gap=LUNGE,
        boost=2,
        own=_LINE,
        other=frozenset({Weapon.INVITATION}),
    ),
    "beat-thrust": Kind(say("Beat Thrust"), (_R,), 4, "F142", gap=LUNGE, against=_NOT_INVITED, boost=1, other=_LINE),
    "disengage": Kind(say("Disengage"), (_R, _C), 4, "F144", gap=LUNGE, against=frozenset({Weapon.ENGAGEMENT})),
    "toe-touch": Kind(say("Toe-Touch"), (_R,), 2, "F145", gap=LUNGE),
    "glide-attack": Kind(say("Glide Attack"), (_R,), 2, "F146", gap=LUNGE, against=_LINE),
    "flick": Kind(say("Flick"), (_R,), 2, "F148", gap=LUNGE, against=_NOT_INVITED, boost=1, other=_LINE),
    "flanconade": Kind(say("Flanconade"), (_R,), 2, "F149", gap=LUNGE, against=_LINE),
    "fleche": Kind(say("Fleche"), (_R,), 3, "F150", gap=LONG),
    "parry-riposte": Kind(say("Parry and Riposte"), (_B, _R), 4, "F156"),
    "ceding-parry": Kind(say("Ceding Parry"), (_B,), 2, "F160"),
    "infighting": Kind(say("Infighting"), (_B, _R), 3, "F161", gap=SHORT),
    "stop-hit": Kind(say("Stop Hit"), (_C,), 7, "F163"),
    "counter-time": Kind(say("Counter-Time"), (_B,), 3, "F165", timed=False),
    "feint-in-time": Kind(say("Feint in Time"), (_C,), 2, "F166", timed=False),
    "joker": Kind(say("Joker"), (_G,), 2, "F167", timed=False),
    "angulations": Kind(say("Angulations"), (_O, _C), 2, "F169", timed=False),
    "renewed-attack": Kind(say("Renewed Attack"), (_O,), 2, "F170", timed=False),
    "feint": Kind(say("Feint"), (_O,), 2, "F137", timed=False),
}

ATTACKS = frozenset(name for name, kind in KINDS.items() if kind.gap is not None)
"""Kinds that may open a phrase (F25)."""

PARRIES = ("parry-riposte", "ceding-parry")
"""Parry cards that Glide may go with (F147)."""

EXTRA = 2
"""What Angulations and Renewed Attack add (F169, F170)."""

GLIDE_RIPOSTE = 4
"""The speed of the riposte that Glide gives (F147)."""
