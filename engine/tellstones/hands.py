"""Whose hand does it: the rival's carries out what the active player orders (T12, T13, T56)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.errors import Breach
from engine.game import Attempt
from engine.table import Seat
from engine.tellstones.match import Order, State, is_team, left_of
from engine.text import Text, in_row, say, who

WRONG_HAND = say("The wrong hand moved a stone.")


def executor(state: State, seat: Seat) -> frozenset[Seat]:
    """The hand that places, turns and exchanges what `seat` orders."""
    return frozenset({left_of(state, seat)})


def _clause(state: State) -> str:
    return "T56" if is_team(state) else "T12"


def not_that_hand(state: State) -> Breach:
    """Another hand than the one that should carried out what the active player orders, or would have."""
    hand = who(left_of(state, state.active))
    text = say("The hand of {seat} carries out what {other} orders.", seat=hand, other=who(state.active))
    return Breach(_clause(state), text)


def other_hand(state: State, seat: Seat, ordered: Order, clause: str = "") -> Iterator[Attempt]:
    """The right thing, done by a hand that should not; clause: the one that says so, if it is another."""
    due = ordered.trace(state, seat)
    hands = in_row(map(who, sorted(due.hands)), " / ")
    breach = Breach(clause or _clause(state), say("The hand of {seat} carries out what is ordered.", seat=hands))
    seen = replace(due, hands=frozenset(state.seats) - due.hands, declared=False)
    yield Attempt("wrong hand", seat, seen, (breach,), what=WRONG_HAND)


def other_stones(
    state: State, seat: Seat, ordered: Order, others: Iterable[Order], kind: str, clause: str, what: Text
) -> Iterator[Attempt]:
    """The same order with other stones or at another end."""
    breach = Breach(clause, say("Ordered was: {order}", order=ordered.task(state, seat)))
    for action in others:
        if action != ordered:
            seen = replace(action.trace(state, seat), declared=False)
            yield Attempt(kind, seat, seen, (breach,), action.notation(state), what)


def nobody_ordered(told: Text) -> Breach:
    """Something that the active player should have ordered first."""
    return Breach("T12", told)
