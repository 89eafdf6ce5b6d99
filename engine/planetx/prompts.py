"""What an audience is asked or told now, in one line."""

from __future__ import annotations

from engine.planetx.state import (
    Acting,
    Asking,
    Choosing,
    Ending,
    Over,
    Placing,
    Pledging,
    State,
    Typing,
    actors,
    visible,
)
from engine.table import Seat
from engine.text import Text, say


def prompt(state: State, seat: Seat | None) -> Text:  # noqa: PLR0911 -- one line a case
    """For a seat that is asked, what it may do; for everybody else, who is waited for."""
    waiting = sorted(actors(state))
    if isinstance(state.phase, Over):
        return say("The match is over.")
    if seat is None or seat not in waiting:
        return _waiting(state, waiting)
    sky = visible(state)
    match state.phase:
        case Typing():
            return say("Type the game's code.")
        case Choosing():
            return say("Choose your level of starting facts.")
        case Acting():
            return say("Visible: {first} to {last}.", first=sky[0], last=sky[-1])
        case Asking():
            return say("Ask.")
        case Pledging():
            return say("Theory phase: how many theories?")
        case Placing(left):
            return say("Place your theories: {count}.", count=left[0][1])
        case Ending():
            return say("Your last move: Locate, theories or pass.")


def _waiting(state: State, waiting: list[Seat]) -> Text:  # noqa: PLR0911 -- one line a case
    names = ", ".join(seat.upper() for seat in waiting)
    match state.phase:
        case Typing():
            return say("{seat} types the game's code.", seat=names)
        case Choosing():
            return say("Levels are being chosen: {seats}.", seats=names)
        case Asking():
            return say("Anybody may ask.")
        case Pledging():
            return say("Theory phase: waiting for {seats}.", seats=names)
        case Placing():
            return say("{seat} places theories.", seat=names)
        case Ending():
            return say("{seat} makes a last move.", seat=names)
        case _:
            return say("{seat} acts.", seat=names)
