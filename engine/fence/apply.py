"""The state after a legal action, and what is told: all of it to everybody."""

from __future__ import annotations

from msgspec.structs import replace

from engine.fence.actions import (
    Accept,
    Action,
    Agree,
    Change,
    Clear,
    Distance,
    End,
    Exchange,
    Move,
    Mulligan,
    Parry,
    Passivity,
    Play,
    Retreat,
    Stall,
    Toss,
    cards_of,
)
from engine.fence.choices import may_answer
from engine.fence.clearing import cleared
from engine.fence.knowledge import without
from engine.fence.phrase import resolve
from engine.fence.phrase.state import Phrase
from engine.fence.rules import OFFER
from engine.fence.sentences import told, won
from engine.fence.stamina import paid, price
from engine.fence.state import (
    Clearing,
    Dealing,
    Finish,
    Offering,
    Over,
    Proposed,
    State,
    Tossing,
    Turn,
    side_of,
    with_fencer,
)
from engine.fence.timer import emptied, finish, tossed
from engine.fence.turn import changed, exchanged, exchanged_outside, given_up, moved, over, retreated, stalled
from engine.table import Seat
from engine.view import Event


def apply(state: State, seat: Seat, action: Action) -> tuple[State, tuple[Event, ...]]:
    """The state after an action that `judge` finds legal, and its events."""
    after = result(state, seat, action)
    reveals = isinstance(action, Play | Exchange | Distance | Stall | Mulligan | Clear) or bool(cards_of(action))
    return after, tuple(Event(text, audience=None, reveals=reveals) for text in told(state, after, seat, action))


def resign(state: State, seat: Seat) -> tuple[State, tuple[Event, ...]]:
    """The state after a seat gave up: the other one wins."""
    phase = Over(1 - side_of(state, seat), Finish.RESIGNED)
    after = replace(state, phase=phase)
    return after, (Event(won(after, phase), audience=None),)


def result(state: State, seat: Seat, action: Action) -> State:
    """The state after an action that `judge` finds legal; what can only be accepted is accepted by itself."""
    side, phase = side_of(state, seat), state.phase
    match phase:
        case Dealing():
            after = _dealt(state, phase, side)
        case Turn():
            after = _turn(state, phase, side, action)
        case Offering():
            after = finish(given_up(state, side, action.card) if isinstance(action, Exchange) else state)
        case Proposed():
            after = _answered(state, phase, isinstance(action, Agree))
        case Phrase():
            after = _phrase(state, phase, side, action)
        case Clearing() if isinstance(action, Exchange):
            after = exchanged_outside(state, phase, action.card)
        case Clearing():
            after = cleared(state, phase)
        case Tossing() if isinstance(action, Toss):
            after = tossed(state, phase, action.side)
        case _:
            raise ValueError("the match is over: judge the action before applying it")
    while isinstance(after.phase, Phrase) and not may_answer(after):
        after = resolve.accepted(after, after.phase)
    return after


def _dealt(state: State, phase: Dealing, side: int) -> State:
    """F14, F65: the referee sees no hand, so a new one changes nothing that it knows."""
    rest = tuple(other for other in phase.asked if other != side)
    return replace(state, phase=Dealing(rest) if rest else Turn())


def _answered(state: State, phase: Proposed, agreed: bool) -> State:
    """F105."""
    if agreed:
        return replace(state, phase=phase.turn, passivity=OFFER)
    return replace(state, phase=phase.turn, offered=state.still + OFFER)


def _turn(state: State, turn: Turn, side: int, action: Action) -> State:  # noqa: PLR0911 -- one line an action
    match action:
        case Move():
            return moved(state, turn, action)
        case Change():
            return changed(state, turn, action)
        case Exchange():
            return exchanged(state, turn, action)
        case Stall():
            return stalled(state, action)
        case Retreat():
            return retreated(state, turn)
        case End():
            return over(state, turn)
        case Passivity():
            return replace(state, phase=Proposed(turn))
        case Play():
            cost = price(state, side, action)
            return paid(resolve.opened(laid(state, side, action), side, action), side, cost)
        case _:
            raise ValueError(f"{action} is no action of a turn: judge it before applying it")


def laid(state: State, side: int, action: Action) -> State:
    """Cards from the hand into the lane."""
    for name in cards_of(action):
        fencer = without(state.fencers[side], name)
        state = emptied(with_fencer(state, side, replace(fencer, lane=(*fencer.lane, name))))
    return state


def _phrase(state: State, phrase: Phrase, side: int, action: Action) -> State:
    if isinstance(action, Accept):
        return resolve.accepted(state, phrase)
    state = paid(laid(state, side, action), side, price(state, side, action))
    noted = state.phase
    if not isinstance(noted, Phrase):
        raise ValueError("no phrase: judge the action before applying it")
    match action:
        case Play():
            return resolve.played(state, noted, side, action)
        case Parry():
            return resolve.parried(state, noted, side, action)
        case Distance(card):
            return resolve.kept_distance(given_up(state, side, card, blind=True), noted, side)
        case _:
            raise ValueError(f"{action} is no answer: judge it before applying it")
