"""Where a spell is chosen: at its place in the order, or, as an option, in secret once the cards lie open (R32)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.actions import Cast
from engine.runes.casting import castings, faults
from engine.runes.spells import SPELLS
from engine.runes.state import Announced, Casting, Planning, Slot, State, with_wizard, wizard_at
from engine.table import Seat


def place(state: State, seat: Seat) -> tuple[State, Slot] | None:
    """The place that a seat chooses for now, in the state that counts for the choice; None if there is none."""
    match state.phase:
        case Casting(slots):
            return (state, slots[0]) if slots and seat in slots[0].seats else None
        case Planning(slots):
            return _next(state, seat, slots)
        case _:
            return None


def _next(state: State, seat: Seat, slots: tuple[Slot, ...]) -> tuple[State, Slot] | None:
    own, then = state.plan.get(seat, {}), _spending(state, seat)
    open_slots = (slot for slot in slots if seat in slot.seats and slot.rune not in own)
    found = next((slot for slot in open_slots if castings(then, seat, slot)), None)
    return None if found is None else (then, found)


def _spending(state: State, seat: Seat) -> State:
    """The state in which the energy of all that a seat has chosen is used (R15)."""
    spells = [spell for spell in state.plan.get(seat, {}).values() if spell is not None]
    wizard, used = wizard_at(state, seat), [rune for spell in spells for rune in powering(spell)]
    return with_wizard(state, replace(wizard, used=(*wizard.used, *used))) if used else state


def powering(spell: Announced) -> tuple[tuple[str, str], ...]:
    """The energy runes that a spell uses, as (card, suit)."""
    suit = SPELLS[spell.spell].suit
    return () if suit is None else tuple((name, suit) for name in spell.cards)


def planned(state: State, seat: Seat, spell: Announced | None) -> State:
    """The state after a seat has chosen for its next place; None: no spell."""
    found = place(state, seat)
    assert found is not None
    own = {**state.plan.get(seat, {}), found[1].rune: spell}
    return replace(state, plan={**state.plan, seat: own})


def kept(state: State, slot: Slot) -> tuple[Announced, ...]:
    """What was chosen for a place and can still be cast there."""
    chosen = (state.plan.get(seat, {}).get(slot.rune) for seat in slot.seats)
    return tuple(s for s in chosen if s is not None and not faults(state, s.by, _cast(s), slot))


def _cast(spell: Announced) -> Cast:
    return Cast(spell.spell, spell.target, spell.cards)
