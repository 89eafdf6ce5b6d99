"""Theories: announced, placed, moved inward, reviewed (X50-X57)."""

from __future__ import annotations

import msgspec

from engine.planetx.facts import Fact
from engine.planetx.names import NAMES
from engine.planetx.state import (
    Acting,
    Placing,
    Pledging,
    State,
    Theory,
    in_order,
    moved,
    placeable,
    player_of,
    with_player,
)
from engine.table import Seat
from engine.text import say
from engine.view import Event

Step = tuple[State, tuple[Event, ...]]


def pledge(state: State, phase: Pledging, seat: Seat, count: int) -> Step:
    """A seat's choice, told to nobody until all have chosen (X50)."""
    chosen = Pledging(phase.pledges | {seat: count})
    told = say("You announce so many theories: {count}.", count=count) if count else say("You announce no theory.")
    return msgspec.structs.replace(state, phase=chosen), (Event(told, frozenset({seat})),)


def opened(state: State, phase: Pledging) -> Step:
    """All choices are shown at once, and tokens are placed from the last pawn on (X51)."""
    order = tuple((p.seat, phase.pledges[p.seat]) for p in in_order(state) if phase.pledges[p.seat])
    counts = ", ".join(f"{seat.upper()} {count}" for seat, count in sorted(phase.pledges.items()))
    told = Event(say("Theories announced: {counts}.", counts=counts), None, reveals=True)
    return msgspec.structs.replace(state, phase=Placing(order)), (told,)


def placed(state: State, seat: Seat, sector: int, kind: str, phase: int) -> Step:
    """A token laid face down: everybody sees where, its owner alone what (X51, X57)."""
    player = player_of(state, seat)
    tokens = player.tokens | {kind: player.tokens[kind] - 1}
    spent = msgspec.structs.replace(player, tokens=tokens, tried=(*player.tried, (sector, kind)))
    theory = Theory(seat, sector, kind, phase)
    state = msgspec.structs.replace(with_player(state, spent), theories=(*state.theories, theory))
    told = say("{seat} places a theory in sector {sector}.", seat=seat.upper(), sector=sector)
    return state, (Event(told, None),)


def counted(state: State, left: tuple[tuple[Seat, int], ...]) -> tuple[tuple[Seat, int], ...]:
    """The order of placing after its first seat has placed one: who can place no more drops out."""
    (seat, count), rest = left[0], left[1:]
    return ((seat, count - 1), *rest) if count > 1 and placeable(state, seat) else rest


def reviewed(state: State) -> Step:
    """All theories move inward; those that arrive are reviewed, and whoever was wrong pays (X53-X56)."""
    aged = tuple(t if t.shown else msgspec.structs.replace(t, age=t.age + 1) for t in state.theories)
    state = msgspec.structs.replace(state, theories=aged, phase=Acting())
    due = [t for t in aged if not t.shown and t.age >= state.setting.review_phase]
    events: list[Event] = []
    wrong: list[Theory] = []
    for theory in sorted(due, key=lambda t: t.sector):
        right = state.game.board[theory.sector - 1] == theory.kind
        events.append(_verdict(theory, right))
        state = made_public(state, theory.sector, theory.kind, right)
        if not right:
            wrong.append(theory)
    for theory in _exposed(state):
        right = state.settled[str(theory.sector)] == theory.kind
        events.append(_verdict(theory, right))
        state = made_public(state, theory.sector, theory.kind, right)
        wrong += [] if right else [theory]
    kept = tuple(_shown(state, t) for t in state.theories if t not in wrong)
    return _penalised(msgspec.structs.replace(state, theories=kept), wrong, events)


def made_public(state: State, sector: int, kind: str, right: bool) -> State:
    """What a review tells everybody; a right theory settles its sector (X54, X55)."""
    fact = Fact("in_sector" if right else "not_in_sector", kind, sector=sector)
    reviews = state.reviews if fact in state.reviews else (*state.reviews, fact)
    proved = state.settled | {str(sector): kind} if right else state.settled
    return msgspec.structs.replace(state, reviews=reviews, settled=proved)


def _exposed(state: State) -> list[Theory]:
    """Theories, not yet due, in sectors that are settled now: they are revealed with the right one (X54)."""
    return [
        t
        for t in state.theories
        if not t.shown and t.age < state.setting.review_phase and str(t.sector) in state.settled
    ]


def _shown(state: State, theory: Theory) -> Theory:
    """A right theory in a settled sector lies face up (X54)."""
    return msgspec.structs.replace(theory, shown=theory.shown or str(theory.sector) in state.settled)


def _penalised(state: State, wrong: list[Theory], events: list[Event]) -> Step:
    """X56: each wrong theory costs its owner one sector; the rearmost pawn moves first."""
    for player in in_order(state):
        steps = sum(theory.owner == player.seat for theory in wrong)
        state = moved(state, player.seat, steps)
        if steps:
            told = say("{seat} advances by {steps} for being wrong.", seat=player.seat.upper(), steps=steps)
            events.append(Event(told, None))
    return state, tuple(events)


def _verdict(theory: Theory, right: bool) -> Event:
    owner, sector, name = theory.owner.upper(), theory.sector, NAMES[theory.kind]
    if right:
        told = say("Review: {seat} is right, sector {sector}: {object}.", seat=owner, sector=sector, object=name)
    else:
        told = say("Review: {seat} is wrong, sector {sector}: {object}.", seat=owner, sector=sector, object=name)
    return Event(told, None, reveals=True)
