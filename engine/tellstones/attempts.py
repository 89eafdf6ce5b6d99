"""Illegal actions that a hand could do all the same, the likely ones first, each with every clause it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.errors import Breach
from engine.game import Attempt
from engine.table import Seat, Trace
from engine.tellstones.actions import Action, Peek
from engine.tellstones.fouls import fouls
from engine.tellstones.handling import both_hidden, handling
from engine.tellstones.judge import judge
from engine.tellstones.reading import words
from engine.tellstones.state import (
    Opening,
    Ordering,
    Over,
    Peeking,
    State,
    is_team,
    left_of,
    side_of,
)
from engine.tellstones.traces import trace
from engine.text import say


def attempts(state: State) -> Iterable[Attempt]:
    """What could be done wrongly now."""
    if isinstance(state.phase, Over):
        return
    if isinstance(state.phase, Ordering):
        yield from _wrong_hand(state)
    if not isinstance(state.phase, Opening):
        yield from _untimely(state)
    yield from fouls(state)


def _wrong_hand(state: State) -> Iterator[Attempt]:
    """The active player's own order, carried out by a hand that should not (T12, T56).

    The camera cannot tell it from another player's order that comes out of turn (T9, T55), so both are named.
    """
    seat = state.active
    others = frozenset(state.seats) - {left_of(state, seat)}
    for action in handling(state, seat):
        if isinstance(action, Peek) or both_hidden(state, action):
            continue
        seen = replace(trace(state, seat, action), hands=others, declared=False)
        breaches = (_not_that_hand(state), *judge(state, left_of(state, seat), action))
        yield Attempt("wrong hand", seat, seen, breaches)


def _not_that_hand(state: State) -> Breach:
    hand = left_of(state, state.active).upper()
    clause = "T56" if is_team(state) else "T12"
    return Breach(
        clause, say("The hand of {seat} carries out what {other} orders.", seat=hand, other=state.active.upper())
    )


def _untimely(state: State) -> Iterator[Attempt]:
    """Orders that would be right at another time: out of turn, or while an answer or a peek is pending."""
    for seat in state.seats:
        for action in handling(state, seat):
            breaches = judge(state, seat, action)
            if not breaches or _seen_otherwise(state, seat, action):
                continue
            if isinstance(state.phase, Ordering) and not isinstance(action, Peek):
                breaches = (*breaches, _not_that_hand(state))
            yield Attempt(_kind(state, seat, action), seat, _seen(state, seat, action), breaches, words(state, action))


def _seen_otherwise(state: State, seat: Seat, action: Action) -> bool:
    """True if what is seen of it is told better: an exchange of hidden stones, or a partner who may be sent (T58)."""
    if isinstance(action, Peek):
        looking = isinstance(state.phase, Ordering | Peeking)
        return looking and seat != state.active and side_of(state, seat) == side_of(state, state.active)
    return isinstance(state.phase, Ordering) and both_hidden(state, action)


def _kind(state: State, seat: Seat, action: Action) -> str:
    match state.phase:
        case Ordering():
            return "out of turn"
        case Peeking() if seat != state.active:
            return "out of turn"
        case Peeking():
            return "peeking too many" if isinstance(action, Peek) else "two actions"
        case _:
            return "peeking unasked" if isinstance(action, Peek) else "answer pending"


def _seen(state: State, seat: Seat, action: Action) -> Trace:
    """The trace of something that nobody ordered at the buttons."""
    return replace(trace(state, seat, action), declared=False)
