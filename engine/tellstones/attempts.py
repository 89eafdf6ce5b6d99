"""Illegal actions that a hand could do all the same, the likely ones first, each with every clause it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.errors import Breach
from engine.game import Attempt
from engine.table import Seat, Trace
from engine.tellstones.actions import Action, Hide, Names, Peek, Place, Swap
from engine.tellstones.fouls import flipped, fouls
from engine.tellstones.handling import both_hidden, handling
from engine.tellstones.judge import judge
from engine.tellstones.places import place_word
from engine.tellstones.reading import words
from engine.tellstones.sentences import task
from engine.tellstones.state import (
    Challenged,
    Opening,
    Ordering,
    Over,
    Peeking,
    State,
    hidden,
    is_team,
    left_of,
    side_of,
)
from engine.tellstones.traces import named_stone, trace
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


def misexecutions(state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
    """What a hand could do wrongly when it carries out this order of `seat`, given in the state before it."""
    match action:
        case Place() | Hide() | Swap() | Peek():
            yield from _other_stones(state, seat, action)
            yield from _other_hand(state, seat, action)
        case Names():
            yield from _other_turned(state, seat, action)
        case _:
            return


_MISTAKEN: dict[type[Action], tuple[str, str]] = {
    Place: ("other stone placed", "T14"),
    Hide: ("wrong stone hidden", "T20"),
    Swap: ("other stones swapped", "T24"),
    Peek: ("other stone peeked", "T29"),
}


def _other_stones(state: State, seat: Seat, ordered: Action) -> Iterator[Attempt]:
    """The same order with other stones or at the other end."""
    kind, clause = _MISTAKEN[type(ordered)]
    breach = Breach(clause, say("Ordered was: {order}", order=task(state, seat, ordered)))
    for action in handling(state, seat):
        same = type(action) is type(ordered) and getattr(action, "looker", None) == getattr(ordered, "looker", None)
        if same and action != ordered:
            yield Attempt(kind, seat, _seen(state, seat, action), (breach,), words(state, action))


def _other_hand(state: State, seat: Seat, ordered: Action) -> Iterator[Attempt]:
    """The right thing, done by a hand that should not (T12, T29, T56, T58)."""
    due = trace(state, seat, ordered)
    others = frozenset(state.seats) - due.hands
    clause = _hand_clause(state, ordered)
    hands = " / ".join(sorted(hand.upper() for hand in due.hands))
    breach = Breach(clause, say("The hand of {seat} carries out what is ordered.", seat=hands))
    yield Attempt("wrong hand", seat, replace(due, hands=others, declared=False), (breach,))


def _hand_clause(state: State, ordered: Action) -> str:
    if isinstance(ordered, Peek):
        return "T58" if is_team(state) else "T29"
    return "T56" if is_team(state) else "T12"


def _other_turned(state: State, seat: Seat, answer: Names) -> Iterator[Attempt]:
    """Another stone is turned up than the one that was named (T36, T48)."""
    named = named_stone(state, answer)
    clause = "T36" if isinstance(state.phase, Challenged) else "T48"
    breach = Breach(clause, say("Turn up stone {place}, no other.", place=place_word(state, named)))
    for at in hidden(state):
        if at != named:
            yield Attempt("other stone turned", seat, flipped(state, at, frozenset({seat})), (breach,))
