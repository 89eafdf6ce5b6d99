"""Every clause that an action breaks, before anything is paid or answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.errors import Breach
from engine.planetx.actions import (
    Action,
    Code,
    Confer,
    Level,
    Locate,
    Mark,
    Pass,
    Pledge,
    Research,
    Reveal,
    Review,
    Submit,
    Survey,
    Target,
    Unmark,
)
from engine.planetx.names import NAMES
from engine.planetx.sky import run
from engine.planetx.state import (
    Acting,
    Asking,
    Choosing,
    Ending,
    Note,
    Over,
    Placing,
    Player,
    Pledging,
    State,
    Typing,
    actors,
    placeable,
    player_of,
    settled,
    visible,
)
from engine.table import Seat
from engine.text import Text, say

Breaches = tuple[Breach, ...]


def judge(state: State, seat: Seat, action: Action) -> Breaches:
    """Every clause that the action breaks; () if it is legal."""
    if isinstance(state.phase, Over):
        return (Breach(_turn_clause(state), _wanted(state)),)
    if seat not in actors(state):
        return (Breach(_turn_clause(state), say("It is not the turn of {seat}.", seat=seat.upper())),)
    if not isinstance(state.phase, _PHASES[type(action)]):
        return (Breach(_turn_clause(state), _wanted(state)),)
    check = _CHECKS.get(type(action))
    return check(state, player_of(state, seat), action) if check else ()


def _survey(state: State, _player: Player, action: Survey) -> Breaches:
    """X31, X32."""
    mode, sky = state.mode, visible(state)
    sectors = run(action.first, action.last, mode.sectors)
    breaches = []
    if action.kind == "X":
        text = say("Planet X cannot be surveyed: it counts as empty.")
        breaches.append(Breach("X31", text))
    if len(sectors) > mode.half or not set(sectors) <= set(sky):
        breaches.append(Breach("X31", _not_visible(state, say("A survey covers visible sectors in a row."))))
    if action.kind == "C" and not {action.first, action.last} <= set(mode.comet_sectors):
        allowed = ", ".join(map(str, mode.comet_sectors))
        text = say("A survey for comets begins and ends in one of the sectors {sectors}.", sectors=allowed)
        breaches.append(Breach("X32", text))
    return tuple(breaches)


def _target(state: State, player: Player, action: Target) -> Breaches:
    """X33."""
    breaches = []
    if action.sector not in visible(state):
        breaches.append(Breach("X33", _not_visible(state, say("Only a visible sector can be targeted."))))
    if not player.targets:
        breaches.append(Breach("X33", say("Both targets have been used.")))
    return tuple(breaches)


def _research(_state: State, player: Player, _action: Research) -> Breaches:
    """X34."""
    if player.last != "research":
        return ()
    return (Breach("X34", say("Research cannot follow research: choose another action first.")),)


def _locate(state: State, player: Player, action: Locate) -> Breaches:
    """X35, X36; who has located Planet X has nothing more to locate."""
    breaches = []
    if "X" in (action.before, action.after):
        breaches.append(Breach("X36", say("Planet X cannot be its own neighbour.")))
    if player.located:
        breaches.append(Breach("X35", say("You have located Planet X already.")))
    if isinstance(state.phase, Ending) and state.phase.begun:
        breaches.append(Breach("X60", say("The last move is Locate or theories, not both.")))
    return tuple(breaches)


def _pledge(state: State, player: Player, action: Pledge) -> Breaches:
    """X50."""
    if action.count > state.setting.theories:
        return (Breach("X50", say("At most {count} theories in a theory phase.", count=state.setting.theories)),)
    if action.count > most_theories(state, player.seat):
        return (Breach("X51", say("There are not so many theories left that you may place.")),)
    return ()


def most_theories(state: State, seat: Seat) -> int:
    """How many theories a player can place in this phase: one a sector, and as many as tokens (X10, X50, X52)."""
    sectors = {sector for sector, _ in placeable(state, seat)}
    return min(state.setting.theories, len(sectors), sum(player_of(state, seat).tokens.values()))


def _submit(state: State, player: Player, action: Submit) -> Breaches:
    """X10, X51, X52."""
    breaches = []
    if isinstance(state.phase, Ending) and not state.phase.left[0][1]:
        breaches.append(Breach("X60", say("You stand too close behind for a last theory.")))
    if not player.tokens.get(action.kind, 0):
        breaches.append(Breach("X10", say("You have no such token left: {object}.", object=NAMES[action.kind])))
    if settled(state, action.sector):
        breaches.append(Breach("X51", say("Sector {sector} is settled.", sector=action.sector)))
    elif any(theory.owner == player.seat and theory.sector == action.sector for theory in state.theories):
        text = say("You have a theory in sector {sector} already.", sector=action.sector)
        breaches.append(Breach("X52", text))
    elif (action.sector, action.kind) in player.tried:
        breaches.append(Breach("X52", say("You tried that in sector {sector} before.", sector=action.sector)))
    return tuple(breaches)


def _pass(state: State, _player: Player, _action: Pass) -> Breaches:
    """X50: who has pledged theories places them."""
    if isinstance(state.phase, Placing):
        return (Breach("X51", say("You announced a theory: place it.")),)
    return ()


def _mark(state: State, player: Player, action: Mark) -> Breaches:
    if not state.rules.marks:
        return (Breach("X37", say("Marks are switched off.")),)
    if Note(action.sector, action.kind, action.holds) in player.notes:
        return (Breach("X37", say("That is marked already.")),)
    return ()


def _unmark(state: State, player: Player, _action: Unmark) -> Breaches:
    if not state.rules.marks or not player.notes:
        return (Breach("X37", say("There is no mark to take back.")),)
    return ()


def _confer(state: State, _player: Player, action: Confer) -> Breaches:
    """X25."""
    if action.name in state.conferences:
        return (Breach("X25", say("Conference {name} has been held.", name=action.name)),)
    return ()


def _review(state: State, _player: Player, action: Review) -> Breaches:
    """X10, X51."""
    if action.kind not in state.setting.tokens:
        return (Breach("X10", say("There are no theories of that kind: {object}.", object=NAMES[action.kind])),)
    if settled(state, action.sector):
        return (Breach("X51", say("Sector {sector} is settled.", sector=action.sector)),)
    return ()


def _reveal(state: State, _player: Player, _action: Reveal) -> Breaches:
    """X60, X62."""
    if state.finder is None:
        return (Breach("X62", say("All is revealed when somebody has located Planet X.")),)
    return ()


_IN_TURN = (Acting, Asking)
_PHASES: dict[type[Action], tuple[type[Any], ...]] = {
    Code: (Typing,),
    Level: (Choosing,),
    Survey: _IN_TURN,
    Target: _IN_TURN,
    Research: _IN_TURN,
    Locate: (*_IN_TURN, Ending),
    Pledge: (Pledging,),
    Submit: (Placing, Ending),
    Pass: (Pledging, Placing, Ending),
    Confer: (Asking,),
    Review: (Asking,),
    Reveal: (Asking,),
    Mark: (Acting, Pledging, Placing, Ending, Asking),
    Unmark: (Acting, Pledging, Placing, Ending, Asking),
}
"""In which phases an action has its place."""

_CHECKS: dict[type[Action], Callable[[State, Player, Any], Breaches]] = {
    Survey: _survey,
    Target: _target,
    Research: _research,
    Locate: _locate,
    Pledge: _pledge,
    Submit: _submit,
    Pass: _pass,
    Mark: _mark,
    Unmark: _unmark,
    Confer: _confer,
    Review: _review,
    Reveal: _reveal,
}


def _turn_clause(state: State) -> str:
    """The clause that says who does what now."""
    clauses: dict[type[Any], str] = {
        Typing: "X12",
        Choosing: "X13",
        Acting: "X20",
        Pledging: "X50",
        Placing: "X51",
        Ending: "X60",
        Asking: "X30",
        Over: "X62",
    }
    return clauses[type(state.phase)]


def _wanted(state: State) -> Text:  # noqa: PLR0911 -- one line a case
    """What has its place now instead."""
    match state.phase:
        case Typing():
            return say("First the game's code is typed.")
        case Choosing():
            return say("First everybody chooses a level of starting facts.")
        case Pledging():
            return say("This is a theory phase: announce how many theories you submit.")
        case Placing():
            return say("This is a theory phase: place the theory that you announced.")
        case Ending():
            return say("This is your last move: Locate, theories or pass.")
        case Over():
            return say("The match is over.")
        case _:
            return say("There is no theory phase and no last move now: survey, target, research or locate.")


def _not_visible(state: State, reason: Text) -> Text:
    sky = visible(state)
    if state.rules.app_only:
        return say("{reason} It covers at most {count} of them.", reason=reason, count=state.mode.half)
    return say("{reason} Visible are {first} to {last}.", reason=reason, first=sky[0], last=sky[-1])
