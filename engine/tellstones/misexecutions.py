"""What a hand could do wrongly when it carries out an order: other stones, another way, another hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import replace

from engine.errors import Breach
from engine.game import Attempt
from engine.table import Seat, Spot, Trace
from engine.tellstones.actions import Action, Hide, Names, Peek, Place, Swap
from engine.tellstones.fouls import flipped, placed_face_down, placed_wrongly, turned_in_swap
from engine.tellstones.handling import handling
from engine.tellstones.places import place_word
from engine.tellstones.reading import words
from engine.tellstones.sentences import task
from engine.tellstones.state import Challenged, State, hidden, is_team
from engine.tellstones.traces import named_stone, trace
from engine.text import say


def misexecutions(state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
    """What a hand could do wrongly when it carries out this order of `seat`, given in the state before it."""
    match action:
        case Place() | Hide() | Swap() | Peek():
            yield from _other_stones(state, seat, action)
            yield from _badly(state, seat, action)
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
        if type(action) is type(ordered) and action != ordered and _looker(action) == _looker(ordered):
            seen = replace(trace(state, seat, action), declared=False)
            yield Attempt(kind, seat, seen, (breach,), words(state, action))


def _looker(action: Action) -> Seat | None:
    return action.looker if isinstance(action, Peek) else None


def _badly(state: State, seat: Seat, ordered: Action) -> Iterator[Attempt]:
    """The right stones, but put between others, face down, or turned on the way (T15, T16, T26)."""
    stones = _carried(trace(state, seat, ordered))
    for attempt in chain(placed_wrongly(state), placed_face_down(state), turned_in_swap(state)):
        if _carried(attempt.trace) == stones:
            yield attempt


def _carried(seen: Trace) -> frozenset[Spot | None]:
    return frozenset(move.source for move in seen.moves)


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
