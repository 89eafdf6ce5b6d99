"""What a game says against a line of a record, word for word."""

from __future__ import annotations

from typing import Any

from engine.catalogue import AnyGame
from engine.errors import Refusal


def said_against(game: AnyGame, state: Any, line: str) -> list[str]:
    """Each breach with its clause; or the one refusal of words that cannot be read, with its kind. [] if legal."""
    seat, _, words = line.partition(": ")
    try:
        violations = game.judge(state, seat, game.read(state, seat, tuple(words.split())))
    except Refusal as refusal:
        return [" ".join((refusal.kind, *refusal.clauses, str(refusal)))]
    return [f"{breach.clause} {breach.text}" for breach in violations]
