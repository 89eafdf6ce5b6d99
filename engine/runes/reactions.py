"""Counter Spell and Magic Mirror: when they can be announced, what they cost, what they do (R49-R55)."""

from __future__ import annotations

from itertools import product

from msgspec.structs import replace

from engine.errors import Breach
from engine.memo import per_state
from engine.runes.effects import active, countered
from engine.runes.hands import discarded, payable, possible, runes_of, since
from engine.runes.resolve import named
from engine.runes.spells import PRICES
from engine.runes.state import (
    Announced,
    Last,
    Paying,
    Phase,
    Responding,
    Slot,
    State,
    Wizard,
    living,
    people,
    with_wizard,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, say


def counter_targets(state: State, seat: Seat) -> tuple[Seat, ...]:
    """R51: any living player, also oneself; R44: invisibility does not hinder it, unless the options say so."""
    return tuple(wizard.seat for wizard in living(state) if uncounterable(state, seat, wizard) is None)


def uncounterable(state: State, seat: Seat, target: Wizard) -> Breach | None:
    """Why a seat cannot cast a Counter Spell at somebody; None if it can."""
    if target.gone:
        return Breach("R59", say("{seat} is no longer there.", seat=target.seat.upper()))
    if target.seat == seat:
        alone = state.rules.counter_target == "others"
        return Breach("R51", say("No Counter Spell aims at its own caster.")) if alone else None
    if state.rules.invisible_specials == "hindered" and active(state, target, "invisible"):
        return _invisible("R44", target)
    return None


def _invisible(clause: str, wizard: Wizard) -> Breach:
    return Breach(clause, say("{seat} is invisible.", seat=wizard.seat.upper()))


def mirrored(state: State, seat: Seat, spells: tuple[Announced, ...]) -> tuple[Announced, ...]:
    """The announced spells that a seat may mirror (R53, R54)."""
    return tuple(spell for spell in spells if _unmirrored(state, seat, spell) is None)


def unmirrorable(state: State, seat: Seat, spells: tuple[Announced, ...], by: Seat) -> Breach | None:
    """Why a seat cannot mirror the spell that `by` announced; None if it can."""
    for spell in spells:
        if spell.by == by:
            return _unmirrored(state, seat, spell)
    for spell in spells:
        if spell.caster == by:
            return Breach("R53", say("A spell is named after who announced it: {seat}.", seat=spell.by.upper()))
    return Breach("R53", say("There is no spell of {seat} that can be mirrored.", seat=by.upper()))


def _unmirrored(state: State, seat: Seat, spell: Announced) -> Breach | None:  # noqa: PLR0911 -- one line a clause
    rules = state.rules
    target, caster = wizard_at(state, spell.target), wizard_at(state, spell.caster)
    for wizard in (target, caster):
        if wizard.gone:
            return Breach("R59", say("{seat} is no longer there.", seat=wizard.seat.upper()))
    if target.seat == caster.seat and rules.mirror_self == "refused":
        return Breach("R53", say("What aims at its own caster cannot be mirrored."))
    if rules.mirror_user == "target" and seat != target.seat:
        return Breach("R53", say("Only {seat} may mirror it.", seat=target.seat.upper()))
    if rules.mirror_countered == "fails" and active(state, target, "countered"):
        return Breach("R54", say("{seat} is countered: no Mirror works.", seat=target.seat.upper()))
    if rules.mirror_invisible == "hindered" and active(state, caster, "invisible"):
        return _invisible("R53", caster)
    if rules.invisible_specials == "hindered" and seat != target.seat and active(state, target, "invisible"):
        return _invisible("R44", target)
    return None


def can_counter(state: State, seat: Seat) -> bool:
    """Whether a Counter Spell could be paid and has a target."""
    return bool(counter_targets(state, seat)) and payable(state, seat, PRICES["counter"])


def can_mirror(state: State, seat: Seat, phase: Phase) -> tuple[Seat, ...]:
    """Whose announced spells a seat could mirror now."""
    if not isinstance(phase, Responding) or not payable(state, seat, PRICES["mirror"]):
        return ()
    return tuple(spell.by for spell in mirrored(state, seat, phase.spells))


def window(state: State, slots: tuple[Slot, ...], spells: tuple[Announced, ...], *, first: bool) -> Responding:
    """Everybody who could answer is asked; at first not the one who has just announced alone (R51).

    After a payment, against the automatic opponent, and if spells were chosen long before (R32), somebody is asked in
    any case: what then takes effect is carried out by hand, and must follow a press.
    """
    first = first and state.rules.decision == "in-order"
    alone = spells[0].by if first and len(spells) == 1 else None
    waiting = tuple(wizard.seat for wizard in people(state) if wizard.seat != alone and _answers(state, wizard, spells))
    pressed = first and any(spell.by != state.rules.opponent for spell in spells)
    if not waiting and not pressed:
        waiting = tuple(wizard.seat for wizard in people(state)[:1])
    return Responding(slots, spells, waiting)


def _answers(state: State, wizard: Wizard, spells: tuple[Announced, ...]) -> bool:
    phase = Responding((), spells, ())
    return can_counter(state, wizard.seat) or bool(can_mirror(state, wizard.seat, phase))


def last_window(state: State) -> Last:
    """R51: before the end phase."""
    able = tuple(wizard.seat for wizard in people(state) if can_counter(state, wizard.seat))
    return Last(able or tuple(wizard.seat for wizard in people(state)[:1]))


def paid(state: State, phase: Paying) -> bool:
    """Whether the discarded cards show the runes that the special spell needs (R50)."""
    return len(runes_of(state, phase.paid)) >= PRICES[phase.special]


def payments(state: State, seat: Seat) -> tuple[str, ...]:
    """The cards that can be discarded next for a special spell (R50)."""
    return _payments(state, seat) if isinstance(state.phase, Paying) and state.phase.seat == seat else ()


@per_state
def _payments(state: State, seat: Seat) -> tuple[str, ...]:
    phase, wizard = state.phase, wizard_at(state, seat)
    assert isinstance(phase, Paying)
    if not wizard.held:
        return ()
    cards = possible(state, wizard)
    fits: dict[tuple[tuple[str, ...], int], bool] = {}
    for name in cards:
        key = _payment(state, name)
        if key not in fits:
            after = discarded(state, wizard, name)
            more = (*phase.paid, name)
            fits[key] = _counts(state, phase, name) and payable(after, seat, PRICES[phase.special], more)
    return tuple(name for name in cards if fits[_payment(state, name)])


def _payment(state: State, name: str) -> tuple[tuple[str, ...], int]:
    """What counts of a card as payment: its runes, and since when it can be in a hand."""
    return state.deck[name].activation, since(state, name)


def _counts(state: State, phase: Paying, name: str) -> bool:
    """Whether a card adds a rune, or, as an option, whether every card can stand for a rune of its own."""
    if state.rules.payment == "new-runes":
        return not paid(state, phase) and not runes_of(state, phase.paid).issuperset(state.deck[name].activation)
    cards = [state.deck[card].activation for card in (*phase.paid, name)]
    return len(cards) <= PRICES[phase.special] and any(len(set(runes)) == len(cards) for runes in product(*cards))


def performed(state: State, phase: Paying) -> tuple[State, Text]:
    """A special spell takes effect at once; a spell that waits can then be answered anew (R51, R53)."""
    then = phase.then
    if phase.special == "counter":
        state = with_wizard(state, countered(state, wizard_at(state, phase.at)))
        told = say("{seat} counters {target}.", seat=phase.seat.upper(), target=phase.at.upper())
    elif isinstance(then, Responding):
        then = replace(then, spells=tuple(_swapped(spell, phase.at) for spell in then.spells))
        turned = next(spell for spell in then.spells if spell.by == phase.at)
        told = say("{seat} mirrors: {spell}.", seat=phase.seat.upper(), spell=named(turned))
    else:
        raise ValueError("nothing is there to be mirrored: judge the action before applying it")
    if isinstance(then, Responding):
        then = window(state, then.slots, then.spells, first=False)
    return replace(state, phase=then), told


def _swapped(spell: Announced, by: Seat) -> Announced:
    """R53: caster and target change their parts."""
    return replace(spell, caster=spell.target, target=spell.caster) if spell.by == by else spell
