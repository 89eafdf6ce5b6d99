"""Every clause that an action breaks (R15-R61)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.errors import Breach
from engine.runes.actions import (
    Action,
    Again,
    Cast,
    Counter,
    Decline,
    Draw,
    Enough,
    Forget,
    Keep,
    Lay,
    Mirror,
    Pass,
    Pay,
    Reveal,
    Shuffle,
    Turn,
    Withdraw,
)
from engine.runes.asking import actors, asked, asked_to_forget
from engine.runes.cards import EXCUSE
from engine.runes.casting import ACTIVATION_DOWN, castings, faults, out_of_order
from engine.runes.drawing import only_excuse_left
from engine.runes.hands import on_pile, payable, possible, unseen
from engine.runes.names import CARDS
from engine.runes.planning import place
from engine.runes.prompts import wanted
from engine.runes.reactions import can_counter, paid, payments, uncounterable, unmirrorable
from engine.runes.resolve import forgettable
from engine.runes.spells import PRICES, SPELLS
from engine.runes.state import (
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
    wizard_at,
)
from engine.table import Seat
from engine.text import say

Breaches = tuple[Breach, ...]


def judge(state: State, seat: Seat, action: Action) -> Breaches:
    """Every clause that the action breaks; () if it is legal."""
    if isinstance(state.phase, Over):
        return (Breach("R59", wanted(state)),)
    if wizard_at(state, seat).gone:
        return (Breach("R59", say("{seat} is no longer there.", seat=seat.upper())),)
    kinds, clause = _PHASES[type(action)]
    if not isinstance(state.phase, kinds):
        return (*_out_of_place(state, seat, action), Breach(clause, wanted(state)))
    if seat not in (actors(state) if isinstance(action, Counter) else asked(state)):
        unasked = say("{seat} is not asked now.", seat=seat.upper())
        return _out_of_place(state, seat, action) or (Breach(_turn_clause(state, action), unasked),)
    check = _CHECKS.get(type(action))
    return check(state, seat, action) if check is not None else ()


def _out_of_place(state: State, seat: Seat, action: Action) -> Breaches:
    """Why nothing of the kind is asked of a seat, where a clause of its own says so."""
    wizard = wizard_at(state, seat)
    if isinstance(action, Cast) and any(queued.down for queued in wizard.sequence if queued.card == wizard.active):
        return (ACTIVATION_DOWN,)
    if isinstance(action, Cast) and isinstance(state.phase, Casting) and state.phase.slots:
        return tuple(out_of_order(state, seat, SPELLS[action.spell], state.phase.slots[0]))
    if isinstance(action, Lay) and isinstance(state.phase, Laying) and not wizard.hand:
        return (Breach("R23", say("{seat} has no card to lay.", seat=seat.upper())),)
    if isinstance(action, Turn) and isinstance(state.phase, Laying) and state.rules.opponent is not None:
        return (Breach("R68", wanted(state)),)
    return ()


def _turn_clause(state: State, action: Action) -> str:
    """The clause that says who acts now."""
    if isinstance(action, Counter | Mirror):
        return "R51" if isinstance(action, Counter) else "R53"
    clauses: dict[type[Any], str] = {
        Laying: "R42" if state.extra else "R21",
        Turning: "R60",
        Keeping: "R61",
        Revealing: "R24",
        Planning: "R32",
        Casting: "R26",
        Responding: "R51",
        Forgetting: "R45",
        Last: "R51",
        Drawing: "R58",
        Paying: "R49",
        Over: "R59",
    }
    return clauses[type(state.phase)]


def _reveal(state: State, seat: Seat, action: Reveal) -> Breaches:
    return _from_hand(state, seat, action.card)


def _from_hand(state: State, seat: Seat, name: str) -> Breaches:
    """A card that lies elsewhere, or went back into the pile after the last draw, cannot be in the hand."""
    if name == EXCUSE:
        return (Breach("R58", say("The Excuse is never played: it goes back into the pile.")),)
    if name in possible(state, wizard_at(state, seat)):
        return ()
    if name in unseen(state):
        text = say("{card} went back into the pile and cannot have been drawn since.", card=CARDS[name])
        return (Breach("R58", text),)
    return (Breach("R2", say("{card} is there once, and lies elsewhere.", card=CARDS[name])),)


def _turn(state: State, _seat: Seat, action: Turn) -> Breaches:
    if action.card == EXCUSE:
        return (Breach("R58", say("The Excuse is never played: it goes back into the pile.")),)
    if action.card not in on_pile(state):
        return (Breach("R2", say("{card} is there once, and lies elsewhere.", card=CARDS[action.card])),)
    return _last_card(state)


def _last_card(state: State) -> Breaches:
    if only_excuse_left(state):
        return (Breach("R58", say("The last card of the pile is the Excuse.")),)
    return ()


def _cast(state: State, seat: Seat, action: Cast) -> Breaches:
    found = place(state, seat)
    assert found is not None
    return faults(found[0], seat, action, found[1])


def _pass(state: State, seat: Seat, _action: Pass) -> Breaches:
    """R19."""
    found = place(state, seat)
    if state.rules.casting == "required" and found is not None and castings(found[0], seat, found[1]):
        return (Breach("R19", say("A spell that can be cast must be cast.")),)
    return ()


def _counter(state: State, seat: Seat, action: Counter) -> Breaches:
    breach = uncounterable(state, seat, wizard_at(state, action.target))
    if breach is not None:
        return (breach,)
    if not can_counter(state, seat):
        return (Breach("R50", say("Your hand cannot show two different activation runes.")),)
    return ()


def _mirror(state: State, seat: Seat, action: Mirror) -> Breaches:
    assert isinstance(state.phase, Responding)
    breach = unmirrorable(state, seat, state.phase.spells, action.caster)
    if breach is not None:
        return (breach,)
    if not payable(state, seat, PRICES["mirror"]):
        return (Breach("R50", say("Your hand cannot show three different activation runes.")),)
    return ()


def _pay(state: State, seat: Seat, action: Pay) -> Breaches:
    """R50: every card must add a rune, and the rest of the hand must be able to complete them."""
    assert isinstance(state.phase, Paying)
    broken = _from_hand(state, seat, action.card)
    if broken:
        return broken
    if action.card not in payments(state, seat):
        text = say("{card} does not help to show the runes that are needed.", card=CARDS[action.card])
        return (Breach("R50", text),)
    return ()


def _enough(state: State, _seat: Seat, _action: Enough) -> Breaches:
    """R50."""
    assert isinstance(state.phase, Paying)
    if paid(state, state.phase):
        return ()
    return (Breach("R50", say("The cards do not show the runes that are needed yet.")),)


def _forget(state: State, seat: Seat, action: Forget) -> Breaches:
    """R45: at most as many as Leaves were used, face-up ones of the target."""
    assert isinstance(state.phase, Forgetting)
    spell = asked_to_forget(state, state.phase, seat)
    assert spell is not None
    cards = forgettable(state, spell)
    broken = [
        Breach(
            "R45",
            say("{card} does not lie open in the sequence of {seat}.", card=CARDS[name], seat=spell.target.upper()),
        )
        for name in action.cards
        if name not in cards
    ]
    if len(action.cards) > len(spell.cards):
        broken.append(Breach("R45", say("Cards turned down: at most {count}.", count=len(spell.cards))))
    return tuple(broken)


def _draw(state: State, _seat: Seat, _action: Draw) -> Breaches:
    return _last_card(state)


def _decline(state: State, _seat: Seat, _action: Decline) -> Breaches:
    if state.rules.drawing == "required":
        return (Breach("R57", say("Drawing is not optional.")),)
    return ()


_AT_ANY_TIME = (Laying, Casting, Responding, Last)
_PHASES: dict[type[Action], tuple[tuple[type[Any], ...], str]] = {
    Lay: ((Laying,), "R21"),
    Reveal: ((Revealing,), "R24"),
    Turn: ((Turning,), "R60"),
    Keep: ((Keeping,), "R61"),
    Again: ((Keeping,), "R61"),
    Cast: ((Planning, Casting), "R32"),
    Pass: ((Planning, Casting, Responding, Last), "R19"),
    Counter: (_AT_ANY_TIME, "R51"),
    Mirror: ((Responding,), "R53"),
    Pay: ((Paying,), "R49"),
    Withdraw: ((Paying,), "R49"),
    Enough: ((Paying,), "R50"),
    Forget: ((Forgetting,), "R45"),
    Draw: ((Drawing,), "R57"),
    Decline: ((Drawing,), "R57"),
    Shuffle: ((Drawing, Turning), "R58"),
}
"""In which phases an action has its place, and the clause that says so."""

_CHECKS: dict[type[Action], Callable[[State, Seat, Any], Breaches]] = {
    Reveal: _reveal,
    Turn: _turn,
    Cast: _cast,
    Pass: _pass,
    Counter: _counter,
    Mirror: _mirror,
    Pay: _pay,
    Enough: _enough,
    Forget: _forget,
    Draw: _draw,
    Decline: _decline,
}
