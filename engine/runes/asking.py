"""Who is asked for something, phase by phase, and who may speak up unasked."""

from __future__ import annotations

from engine.memo import per_state
from engine.runes.casting import castable
from engine.runes.effects import active
from engine.runes.planning import place
from engine.runes.reactions import can_counter
from engine.runes.resolve import forgettable
from engine.runes.state import (
    Announced,
    Casting,
    Drawing,
    Forgetting,
    Keeping,
    Last,
    Laying,
    Over,
    Paying,
    Planning,
    Responding,
    Revealing,
    State,
    Turning,
    Wizard,
    people,
    wizard_at,
)
from engine.table import Seat


def layers(state: State) -> tuple[Seat, ...]:
    """Who still lays a card down: the hasted in the extra phase, everybody with a card in the normal one (R21, R42)."""
    return tuple(w.seat for w in people(state) if w.hand and not w.laid and w.active is None and _plays(state, w))


def _plays(state: State, wizard: Wizard) -> bool:
    return not state.extra or active(state, wizard, "haste")


def actors(state: State) -> frozenset[Seat]:
    """Who may act now: who is asked, and, as an option, whoever could voice a Counter Spell (R51)."""
    return asked(state) | _volunteers(state)


def _volunteers(state: State) -> frozenset[Seat]:
    """Otherwise a Counter Spell waits until its caster is asked: before anything takes effect everybody is."""
    if state.rules.counter_times == "asked" or not isinstance(state.phase, Laying | Casting | Responding | Last):
        return frozenset()
    return frozenset(wizard.seat for wizard in people(state) if can_counter(state, wizard.seat))


@per_state
def asked(state: State) -> frozenset[Seat]:  # noqa: PLR0911, C901 -- one line a phase
    """Whose answer the match waits for."""
    match state.phase:
        case Laying():
            return frozenset(layers(state))
        case Turning() | Keeping():
            return frozenset(wizard.seat for wizard in people(state)[:1])
        case Revealing():
            return frozenset(wizard.seat for wizard in people(state) if wizard.laid)
        case Planning():
            return frozenset(wizard.seat for wizard in people(state) if place(state, wizard.seat) is not None)
        case Casting() as phase:
            return frozenset(_casters(state, phase))
        case Responding(waiting=waiting) | Last(waiting):
            return frozenset(wizard.seat for wizard in people(state) if wizard.seat in waiting)
        case Forgetting() as phase:
            return frozenset(spell.caster for spell in forgetters(state, phase) if spell.caster != opponent(state))
        case Drawing(drawers):
            return frozenset(drawers[:1])
        case Paying(seat):
            return frozenset({seat})
        case Over():
            return frozenset()


def opponent(state: State) -> Seat | None:
    return state.rules.opponent


def _casters(state: State, phase: Casting) -> tuple[Seat, ...]:
    """R30: equal ranks choose at the same time, unless the options say openly, one after another."""
    if is_planned(state):
        return ()
    able = [seat for seat in castable(state, phase) if seat not in phase.chosen and seat != opponent(state)]
    return tuple(able[:1]) if state.rules.simultaneous == "open" else tuple(able)


def is_planned(state: State) -> bool:
    return state.rules.decision == "at-reveal"


def forgetters(state: State, phase: Forgetting) -> tuple[Announced, ...]:
    """Forgetfulness whose cards are still to be chosen; who is gone turns nothing down (R59)."""
    here = (spell for spell in phase.spells if not wizard_at(state, spell.caster).gone)
    return tuple(spell for spell in here if spell.by not in phase.chosen and forgettable(state, spell))


def asked_to_forget(state: State, phase: Forgetting, seat: Seat) -> Announced | None:
    """The spell whose cards a seat chooses now."""
    return next((spell for spell in forgetters(state, phase) if spell.caster == seat), None)
