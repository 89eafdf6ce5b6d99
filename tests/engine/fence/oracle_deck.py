"""What the clauses of docs/rules/fence.md say in tables: cards, answers, reach."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

RULES = Path(__file__).parents[3] / "docs" / "rules" / "fence.md"
MARK = {"tutorial": "T", "basic": "B", "advanced": ""}  # F1

# Section 5, one row a threat: the kinds that may answer it, and the card-less defences.
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "Straight Thrust": ("Stop Hit", "Parry and Riposte", "Ceding Parry", "Infighting", "Joker", "parry", "distance"),
    "Flick": ("Stop Hit", "Parry and Riposte", "Ceding Parry", "Infighting", "Joker", "parry", "distance"),
    "Beat Thrust": (
        "Stop Hit",
        "Parry and Riposte",
        "Ceding Parry",
        "Infighting",
        "Joker",
        "Disengage",
        "parry",
        "distance",
    ),
    "Disengage": ("Parry and Riposte", "Ceding Parry", "Infighting", "Joker", "parry", "distance"),
    "Toe-Touch": ("Stop Hit", "Joker", "distance"),
    "Glide Attack": ("Ceding Parry", "Disengage", "Parry and Riposte", "Infighting", "Joker", "parry", "distance"),
    "Flanconade": ("Ceding Parry", "Disengage", "Parry and Riposte", "Infighting", "Joker", "parry", "distance"),
    "Fleche": ("Stop Hit", "Parry and Riposte", "Ceding Parry", "Joker", "parry", "distance"),
    "Infighting": ("Infighting", "Joker", "parry", "distance"),
    "riposte": ("Stop Hit", "Parry and Riposte", "Ceding Parry", "Joker", "parry"),
    "close riposte": ("Infighting", "Joker", "parry"),
    "counter-attack": ("Counter-Time", "Joker"),
    "counter-time": ("Feint in Time",),
}
# What an attack needs of the opponent's weapon, and the gap it is made at when that is not the lunge.
AGAINST = {
    "Straight Thrust": {"PIL", "INV", "ENG"},
    "Beat Thrust": {"PIL", "ENG"},  # F142
    "Disengage": {"ENG"},  # F144
    "Toe-Touch": {"PIL", "INV", "ENG"},
    "Glide Attack": {"PIL"},  # F146
    "Flick": {"PIL", "ENG"},  # F148
    "Flanconade": {"PIL"},  # F149
    "Fleche": {"PIL", "INV", "ENG"},
    "Infighting": {"PIL", "INV", "ENG"},
}
REACH = {"Infighting": 0, "Fleche": 2}  # F150, F161; every other attack at gap 1 (F71)


@dataclass(frozen=True)
class Card:
    """One copy of section 3."""

    id: str
    kind: str
    speed: int | None
    sp: int
    marks: str


def deck() -> dict[str, Card]:
    """The default deck as section 3 tabulates it."""
    cards = {}
    for line in RULES.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| RF\d\d \|", line):
            key, kind, _, _, speed, _, sp, tutorial, basic, _ = (cell.strip() for cell in line.split("|")[1:-1])
            value = int(speed[1:]) if speed.startswith("v") else None
            cards[key] = Card(key, kind, value, int(sp), tutorial.strip("-") + basic.strip("-"))
    return cards


DECK = deck()
