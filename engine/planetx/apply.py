"""The state after a legal action, and what is told to whom (X21, X30)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.planetx.actions import (
    ASKING,
    Action,
    Code,
    Confer,
    Level,
    Mark,
    Pass,
    Pledge,
    Review,
    Submit,
    Unmark,
)
from engine.planetx.asking import asked
from engine.planetx.draw import draw_game
from engine.planetx.ending import after_last_theory, next_last_move, resigned, revealed
from engine.planetx.facts import Fact
from engine.planetx.names import NAMES
from engine.planetx.opponent import decide
from engine.planetx.sentences import sentence
from engine.planetx.setup import first_phase, opening
from engine.planetx.situation import situation
from engine.planetx.state import (
    Acting,
    Choosing,
    Ending,
    Note,
    Placing,
    Pledging,
    State,
    actors,
    player_of,
    with_player,
)
from engine.planetx.theories import Step, counted, made_public, opened, placed, pledge, reviewed
from engine.planetx.track import confer, turned
from engine.table import Seat
from engine.text import say
from engine.view import Event


def apply(state: State, seat: Seat, action: Action) -> Step:
    """One action, and all that follows of itself until a player is asked again."""
    state, events = _perform(state, seat, action)
    state, more = proceed(state)
    return state, (*events, *more)


def resign(state: State, seat: Seat) -> Step:
    """A player leaves the match, and whatever waited for it goes on."""
    state, events = resigned(state, seat)
    state, more = proceed(state)
    return state, (*events, *more)


def proceed(state: State) -> Step:
    """Earth turns, phases begin and end, the automatic opponent acts, until a player is asked or all is over."""
    events: list[Event] = []
    while (step := _of_itself(state)) is not None:
        state, more = step
        events += more
    return state, tuple(events)


def _of_itself(state: State) -> Step | None:  # noqa: PLR0911 -- one line a case
    """The next thing that needs no player; None if one is asked."""
    match state.phase:
        case Choosing() if not actors(state):
            return msgspec.structs.replace(state, phase=opening(state)), ()
        case Pledging() if not actors(state):
            return opened(state, state.phase)
        case Placing(()):
            return reviewed(state)
        case Ending(()):
            return revealed(state)
        case Acting() if state.rules.years and state.arrow >= state.rules.years * state.mode.sectors:
            return revealed(state)
        case Acting() if (step := turned(state)) is not None:
            return step
        case _:
            return _opponent(state)


def _opponent(state: State) -> Step | None:
    """X71: the automatic opponent acts whenever it is asked, from what it was told alone."""
    seat = state.rules.opponent
    if seat is None or seat not in actors(state):
        return None
    state, events = _perform(state, seat, decide(situation(state, seat), state.rules.strength))
    return state, tuple(msgspec.structs.replace(event, reveals=True) for event in events if event.audience is None)


def _perform(state: State, seat: Seat, action: Action) -> Step:  # noqa: PLR0911 -- one line a case
    if isinstance(action, ASKING):
        return asked(state, seat, action)
    match action:
        case Code(code):
            state = msgspec.structs.replace(state, game=draw_game(state.mode, code))
            told = Event(say("The game's code is {code}.", code=code), None)
            return msgspec.structs.replace(state, phase=first_phase(state)), (told,)
        case Level(level):
            return _levelled(state, seat, level)
        case Pledge() | Pass() | Submit():
            return _theorised(state, seat, action)
        case Confer(name):
            return confer(state, name)
        case Review(sector, kind):
            return _checked(state, sector, kind)
        case Mark() | Unmark():
            return _noted(state, seat, action)
        case _:
            return revealed(state)


def _levelled(state: State, seat: Seat, level: str) -> Step:
    """X13: the starting facts are shown to their player alone."""
    state = with_player(state, msgspec.structs.replace(player_of(state, seat), level=level))
    told = say("Your starting facts are ready to read.")
    return state, (Event(told, frozenset({seat}), reveals=True),)


def _theorised(state: State, seat: Seat, action: Pledge | Pass | Submit) -> Step:
    """X50, X51, X60."""
    phase: Any = state.phase
    if isinstance(phase, Pledging):
        return pledge(state, phase, seat, action.count if isinstance(action, Pledge) else 0)
    if not isinstance(action, Submit):
        return next_last_move(state, phase), (Event(say("{seat} passes.", seat=seat.upper()), None),)
    number = state.theory_phase + isinstance(phase, Ending)
    state, events = placed(state, seat, action.sector, action.kind, number)
    if isinstance(phase, Ending):
        return after_last_theory(state, phase), events
    return msgspec.structs.replace(state, phase=Placing(counted(state, phase.left))), events


def _checked(state: State, sector: int, kind: str) -> Step:
    """X54, X55: a review asked of the app is public."""
    right = state.game.board[sector - 1] == kind
    fact = Fact("in_sector" if right else "not_in_sector", kind, sector=sector)
    told = Event(say("Review: {fact}", fact=sentence(fact)), None, reveals=True)
    return made_public(state, sector, kind, right), (told,)


def _noted(state: State, seat: Seat, action: Mark | Unmark) -> Step:
    """A player's own marks: told to nobody else."""
    player = player_of(state, seat)
    if isinstance(action, Unmark):
        notes, told = player.notes[:-1], say("Mark taken back.")
    else:
        note = Note(action.sector, action.kind, action.holds)
        notes = (*player.notes, note)
        told = say("Marked: sector {sector}, {object}.", sector=action.sector, object=NAMES[action.kind])
    state = with_player(state, msgspec.structs.replace(player, notes=notes))
    return state, (Event(told, frozenset({seat})),)
