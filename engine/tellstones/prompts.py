"""What each audience is asked or told now, in one line."""

from __future__ import annotations

from engine.table import Seat
from engine.tellstones.places import place_word
from engine.tellstones.sentences import won
from engine.tellstones.state import (
    Boasted,
    Challenged,
    Opening,
    Ordering,
    Over,
    Peeking,
    Proving,
    State,
    TakenOver,
    actors,
    may_peek_three,
)
from engine.text import Text, say


def prompt(state: State, seat: Seat | None) -> Text:
    """A question to those who may act, and to the others whose answer is waited for."""
    if isinstance(state.phase, Over):
        return won(state, state.phase)
    asked = actors(state)
    if seat in asked:
        return _question(state)
    return _waiting(state, " / ".join(sorted(actor.upper() for actor in asked)))


def _question(state: State) -> Text:  # noqa: PLR0911 -- one line a phase
    match state.phase:
        case Opening():
            return say("Choose the first stone of the Line.")
        case Ordering():
            return say("Your turn: order one action. You may peek at three.") if may_peek_three(state) else _order()
        case Peeking(_, left):
            return say("Peek at up to {count} more, or stop peeking.", count=left)
        case Challenged(stone):
            return say("Name stone {place}, then turn it up.", place=place_word(state, stone))
        case Boasted():
            return say("A boast: believe, ask for proof, or take over?")
        case TakenOver():
            return say("Your boast was taken over: believe, or ask for proof?")
        case _:
            return say("Prove it: name a stone, then turn it up.")


def _order() -> Text:
    return say("Your turn: order one action.")


def _waiting(state: State, who: str) -> Text:
    match state.phase:
        case Opening():
            return say("{seat} chooses the first stone.", seat=who)
        case Peeking():
            return say("{seat} may peek at more stones.", seat=who)
        case Challenged(stone):
            return say("{seat} must name stone {place}.", seat=who, place=place_word(state, stone))
        case Boasted() | TakenOver():
            return say("{seat} answers the boast.", seat=who)
        case Proving():
            return say("{seat} proves the boast.", seat=who)
        case _:
            return say("{seat} orders an action.", seat=who)
