"""Describes an offence in a sentence: a hidden stone has no name in it, and a culprit only if the hand tells (T54)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.game import Attempt
from engine.text import Text, say


def described(attempts: Iterable[Attempt]) -> Iterator[Attempt]:
    """The attempts, each with the sentence of its kind."""
    return (replace(attempt, what=WHAT[attempt.kind]) for attempt in attempts)


WHAT: dict[str, Text] = {
    "wrong hand": say("The wrong hand moved a stone."),
    "out of turn": say("Somebody acted out of turn."),
    "answer pending": say("A stone was moved while an answer is due."),
    "two actions": say("Two actions were done in one turn."),
    "unordered": say("Something was done that nobody ordered."),
    "placed between": say("A stone was placed between others."),
    "placed past the edge": say("A stone was placed past the edge."),
    "placed face down": say("A stone was placed face down."),
    "other stone placed": say("Another stone was placed."),
    "wrong stone hidden": say("Another stone was hidden."),
    "unasked flip": say("A hidden stone was turned up."),
    "other stone turned": say("Another stone was turned up."),
    "unordered swap of two hidden stones": say("Two hidden stones were swapped."),
    "other stones swapped": say("Other stones were swapped."),
    "turned in the exchange": say("A stone was turned in the swap."),
    "moved in the line": say("A stone was moved in the Line."),
    "sets mixed": say("The two sets were mixed."),
    "peeking too many": say("Too many stones were looked at."),
    "peeking unasked": say("A stone was looked at unasked."),
    "other stone peeked": say("Another stone was looked at."),
    "stone returned to the pool": say("A stone was put back into the Pool."),
    "stone gone": say("A stone is gone."),
}
"""By the kind of an attempt."""
