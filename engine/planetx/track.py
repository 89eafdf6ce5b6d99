"""Earth's way round the Sun: the arrow follows the last pawn and meets conferences and theory phases (X21-X25)."""

from __future__ import annotations

import msgspec

from engine.planetx.facts import Fact
from engine.planetx.sentences import sentence
from engine.planetx.state import Pledging, State, in_order, sector_at
from engine.text import say
from engine.view import Event

THEORY = "theory"


def turned(state: State) -> tuple[State, tuple[Event, ...]] | None:
    """One step of the arrow or one icon that it meets; None if it points at the last pawn and nothing is left to do."""
    if state.icons:
        return _met(state)
    if state.arrow >= in_order(state)[0].time:
        return None
    onward = msgspec.structs.replace(state, arrow=state.arrow + 1, icons=icons_before(state, state.arrow + 1))
    return onward, ()


def icons_before(state: State, time: int) -> tuple[str, ...]:
    """What the arrow meets on its way to the sector at `time`: first what lies after the sector before (X24)."""
    left, entered = sector_at(state, time - 1), sector_at(state, time)
    theory = (THEORY,) if left in state.setting.theory_after else ()
    held = tuple(c.name for c in state.setting.conferences if c.sector == entered and c.name not in state.conferences)
    return theory + held


def conference(state: State, name: str) -> Fact:
    """The fact of a conference."""
    return next(fact for fact in state.game.conferences if fact.id == name)


def confer(state: State, name: str) -> tuple[State, tuple[Event, ...]]:
    """A conference is held: everybody hears its fact (X25, X44)."""
    told = say("Conference {name}: {fact}", name=name, fact=sentence(conference(state, name)))
    held = msgspec.structs.replace(state, conferences=(*state.conferences, name))
    return held, (Event(told, None, reveals=True),)


def _met(state: State) -> tuple[State, tuple[Event, ...]]:
    icon, rest = state.icons[0], state.icons[1:]
    state = msgspec.structs.replace(state, icons=rest)
    if icon != THEORY:
        return confer(state, icon)
    began = msgspec.structs.replace(state, phase=Pledging(), theory_phase=state.theory_phase + 1)
    return began, (Event(say("Theory phase."), None),)
