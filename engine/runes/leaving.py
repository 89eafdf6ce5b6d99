"""Leaving the match by death or resignation, and the end (R59)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.errors import Violation
from engine.runes.match import Over, State, Wizard, is_automatic, living, with_wizard
from engine.table import Seat
from engine.text import Text, say, who
from engine.view import Outcome


def not_there(seat: Seat) -> Violation:
    return Violation("R59", say("{seat} is no longer there.", seat=who(seat)))


def is_over(state: State) -> Violation:
    return Violation("R59", state.phase.wanted_text(state))


def end_if_last(state: State) -> Over | None:
    """Return the end if at most one wizard lives; none is a draw (R59)."""
    left = living(state)
    return None if len(left) > 1 else Over(left[0].seat if left else None)


def remove_dead(state: State) -> tuple[State, tuple[Text, ...]]:
    """Remove wizards without life (R59), with a sentence each."""
    steps = []
    for wizard in living(state):
        if wizard.life <= 0:
            state = remove_wizard(state, wizard)
            steps.append(say("{seat} dies.", seat=who(wizard.seat)))
    return state, tuple(steps)


def remove_wizard(state: State, wizard: Wizard) -> State:
    """Remove a wizard; the unread hand goes to the discards (R59), then the sequence."""
    left = replace(wizard, gone=True, hand=(), laid=False, sequence=(), active=None)
    cards = tuple(queued.card for queued in wizard.sequence)
    after = with_wizard(state, left)
    return replace(after, discards=(*state.discards, *cards), buried=(*state.buried, *wizard.hand))


def outcome(state: State) -> Outcome | None:
    """The automatic opponent never counts as a winner (R59)."""
    if not isinstance(state.phase, Over):
        return None
    winner = state.phase.winner
    winners = frozenset[Seat]() if winner is None or is_automatic(state, winner) else frozenset({winner})
    return Outcome(winners, state.phase.result())
