"""Counter Spell and Magic Mirror: timing, costs and effects (R49-R51, R53-R55)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Attempt, Prefilter, ZonePrefilter, per_state
from engine.rules import Values, Word
from engine.runes.cards import CARDS
from engine.runes.casting import Answering, Casting, out_of_sight
from engine.runes.hands import discard, not_in_hand, possible, since
from engine.runes.laying import Laying, announced_text, lot_text
from engine.runes.mat import DISCARDS, cards_alone, difference, discards_layout, single_hand_trace
from engine.runes.match import (
    Announced,
    Phase,
    Slot,
    State,
    Wizard,
    asked_seats,
    is_automatic,
    living,
    not_there,
    people,
    with_wizard,
    wizard_at,
)
from engine.runes.order import CardWord, Order, SeatWord, at_wrong_time, discarded_text, illegal_attempt
from engine.runes.spells import NAMES, active, counter, spell_text
from engine.table import Move, Piece, Seat, Spot, Trace
from engine.text import Text, say, who
from engine.view import Event, Json

PRICES = {"counter": 2, "mirror": 3}
"""Different activation runes needed (R50)."""


class Responding(Answering, frozen=True, tag="responding"):
    """Announced spells may be answered. waiting: seats still asked."""

    slots: tuple[Slot, ...]
    spells: tuple[Announced, ...]
    waiting: tuple[Seat, ...]

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(wizard.seat for wizard in people(state) if wizard.seat in self.waiting)

    def let_pass(self, seat: Seat) -> Phase:
        return replace(self, waiting=tuple(other for other in self.waiting if other != seat))

    def turn_clause(self, state: State) -> str:
        return "R51"

    def wanted_text(self, state: State) -> Text:
        return say("A spell waits to take effect.")

    def question(self, state: State, seat: Seat) -> Text:
        return say("Answer the spell, or pass.")

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat} may answer.", seat=who)

    def places(self, state: State) -> tuple[Slot, ...]:
        return self.slots

    def pending(self, state: State) -> tuple[Announced, ...]:
        return self.spells


class LastCounter(Answering, frozen=True, tag="last"):
    """The last chance for a Counter Spell (R51)."""

    waiting: tuple[Seat, ...]

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(wizard.seat for wizard in people(state) if wizard.seat in self.waiting)

    def let_pass(self, seat: Seat) -> Phase:
        return LastCounter(tuple(other for other in self.waiting if other != seat))

    def turn_clause(self, state: State) -> str:
        return "R51"

    def wanted_text(self, state: State) -> Text:
        return say("The turn is about to end.")

    def question(self, state: State, seat: Seat) -> Text:
        return say("A last Counter Spell, or pass.")

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat} may answer.", seat=who)


class Paying(Phase, frozen=True, tag="paying"):
    """A special spell is paid card by card (R49, R50). at: its target, or the mirrored spell's announcer. then: next
    phase."""

    seat: Seat
    special: str
    at: Seat
    then: Phase
    paid: tuple[str, ...] = ()

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset({self.seat})

    def turn_clause(self, state: State) -> str:
        return "R49"

    def wanted_text(self, state: State) -> Text:
        return say("A special spell is being paid.")

    def question(self, state: State, seat: Seat) -> Text:
        return say("{spell}: discard a card with a needed rune.", spell=NAMES[self.special])

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat} pays: {spell}.", seat=who, spell=NAMES[self.special])

    def places(self, state: State) -> tuple[Slot, ...]:
        return self.then.places(state)

    def pending(self, state: State) -> tuple[Announced, ...]:
        return self.then.pending(state)

    def secret(self, state: State, seat: Seat) -> Json:
        return self.then.secret(state, seat)

    def facts(self, state: State) -> Json:
        runes = tuple(sorted(runes_of(state, self.paid)))
        return {"seat": self.seat, "special": self.special, "at": self.at, "paid": self.paid, "runes": runes}


# --- announcing


class Special(Order, frozen=True):
    """A special spell with a target, paid card by card (R49)."""

    def pay_order(self, state: State, seat: Seat, special: str, at: Seat) -> State:
        return replace(state, phase=Paying(seat, special, at, state.phase))


class AnyLiving(SeatWord):
    """Any living player, oneself included (R51)."""

    missing = say("At whom? {verb} {seat}", verb="counter", seat="…")

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[Seat]:
        return [wizard.seat for wizard in living(state)]

    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return say("Spells at {seat} fail", seat=who(value))


_TARGET: Word[State, Seat] = AnyLiving()


class Counter(Special, frozen=True, tag="counter"):
    """Announce a Counter Spell (R51)."""

    target: Annotated[Seat, _TARGET]

    name = say("Counter Spell")
    clauses = ("R51",)
    when = (Laying, Casting, Answering)
    clause = "R51"

    def askers(self, state: State) -> frozenset[Seat]:
        return asked_seats(state) | volunteers(state)

    def turn_clause(self, state: State) -> str:
        return "R51"

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        unreached = tuple(self._check_reach(state, seat))
        yield from unreached or unaffordable(state, seat, "counter")

    def _check_reach(self, state: State, seat: Seat) -> Iterator[Violation]:
        target = wizard_at(state, self.target)
        if target.gone:
            yield not_there(target.seat)
        elif target.seat == seat:
            if state.rules.counter_target == "others":
                yield Violation("R51", say("No Counter Spell aims at its own caster."))
        elif state.rules.invisible_specials == "hindered" and active(state, target, "invisible"):
            yield out_of_sight(target)

    def after(self, state: State, seat: Seat) -> State:
        return self.pay_order(state, seat, "counter", self.target)

    def sentence(self, state: State, seat: Seat) -> Text:
        return _announcement(seat, "counter", self.target)


class Announcer(SeatWord):
    missing = say("Whose spell? {verb} {seat}", verb="mirror", seat="…")

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[Seat]:
        return [spell.by for spell in state.phase.pending(state)]

    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return spell_text(next(spell for spell in state.phase.pending(state) if spell.by == value))


_CASTER: Word[State, Seat] = Announcer()


class Mirror(Special, frozen=True, tag="mirror"):
    """Mirror the spell (R53) that `caster` announced."""

    caster: Annotated[Seat, _CASTER]

    name = say("Magic Mirror")
    clauses = ("R53",)
    when = (Responding,)
    clause = "R53"

    def turn_clause(self, state: State) -> str:
        return "R53"

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        breach = unmirrorable(state, seat, state.phase.pending(state), self.caster)
        if breach is not None:
            yield breach
        else:
            yield from unaffordable(state, seat, "mirror")

    def after(self, state: State, seat: Seat) -> State:
        return self.pay_order(state, seat, "mirror", self.caster)

    def sentence(self, state: State, seat: Seat) -> Text:
        return _announcement(seat, "mirror", self.caster)


def _announcement(seat: Seat, special: str, at: Seat) -> Text:
    return say("{seat}: {spell} at {target}.", seat=who(seat), spell=NAMES[special], target=who(at))


def volunteers(state: State) -> frozenset[Seat]:
    """Return seats that may counter unasked, if the option says so (R51)."""
    if state.rules.counter_times == "asked" or not isinstance(state.phase, Counter.when):
        return frozenset()
    return frozenset(wizard.seat for wizard in people(state) if can_counter(state, wizard.seat))


def can_counter(state: State, seat: Seat) -> bool:
    """Return True if a Counter Spell is payable and has a target (R51)."""
    return Counter.first(state, seat) is not None


def unmirrorable(state: State, seat: Seat, spells: tuple[Announced, ...], by: Seat) -> Violation | None:
    """Return the violation of mirroring the spell of `by`; None if the seat may."""
    for spell in spells:
        if spell.by == by:
            return _check_mirror(state, seat, spell)
    for spell in spells:
        if spell.caster == by:
            return Violation("R53", say("Name the wizard who announced the spell: {seat}.", seat=who(spell.by)))
    return Violation("R53", say("There is no spell of {seat} that can be mirrored.", seat=who(by)))


def _check_mirror(state: State, seat: Seat, spell: Announced) -> Violation | None:  # noqa: PLR0911 -- one line a clause
    rules = state.rules
    target, caster = wizard_at(state, spell.target), wizard_at(state, spell.caster)
    for wizard in (target, caster):
        if wizard.gone:
            return not_there(wizard.seat)
    if target.seat == caster.seat and rules.mirror_self == "refused":
        return Violation("R53", say("A spell on its own caster cannot be mirrored."))
    if rules.mirror_user == "target" and seat != target.seat:
        return Violation("R53", say("Only {seat} may mirror it.", seat=who(target.seat)))
    if rules.mirror_countered == "fails" and active(state, target, "countered"):
        return Violation("R54", say("{seat} is countered: no Mirror works.", seat=who(target.seat)))
    if rules.mirror_invisible == "hindered" and active(state, caster, "invisible"):
        return Violation("R53", out_of_sight(caster).text)
    if rules.invisible_specials == "hindered" and seat != target.seat and active(state, target, "invisible"):
        return out_of_sight(target)
    return None


# --- paying


@per_state
def can_pay(state: State, seat: Seat, special: str) -> bool:
    """Return True if a possible hand can pay (R50)."""
    return payable(state, seat, PRICES[special])


_UNSHOWN = {
    "counter": say("Your hand cannot show two different activation runes."),
    "mirror": say("Your hand cannot show three different activation runes."),
}


def unaffordable(state: State, seat: Seat, special: str) -> Iterator[Violation]:
    if not can_pay(state, seat, special):
        yield Violation("R50", _UNSHOWN[special])


def runes_of(state: State, cards: Iterable[str]) -> frozenset[str]:
    return frozenset(rune for name in cards for rune in state.deck[name].activation)


def payable(state: State, seat: Seat, need: int, paid: tuple[str, ...] = ()) -> bool:
    """Return True if a possible hand can complete the payment (R50). need: number of different runes."""
    have, wizard = runes_of(state, paid), wizard_at(state, seat)
    if len(have) >= need:
        return True
    if not wizard.held:
        return False
    kinds: dict[tuple[tuple[str, ...], int], str] = {}
    for name in possible(state, wizard):
        runes = state.deck[name].activation
        if len(have.union(runes)) >= need:
            return True
        if not have.issuperset(runes):
            kinds[runes, since(state, name)] = name
    if wizard.held == 1:
        return False
    richest = sorted(kinds, key=lambda kind: -len(kind[0]))
    return any(payable(discard(state, wizard, kinds[kind]), seat, need, (*paid, kinds[kind])) for kind in richest)


def is_paid(state: State, phase: Paying) -> bool:
    """Return True if the discarded cards show enough runes (R50)."""
    return len(runes_of(state, phase.paid)) >= PRICES[phase.special]


def payments(state: State, seat: Seat) -> tuple[str, ...]:
    """Return cards that can be discarded next (R50)."""
    return _payments(state, seat) if isinstance(state.phase, Paying) and state.phase.seat == seat else ()


@per_state
def _payments(state: State, seat: Seat) -> tuple[str, ...]:
    phase, wizard = state.phase, wizard_at(state, seat)
    assert isinstance(phase, Paying)
    if not wizard.held:
        return ()
    alike = {name: _payment(state, name) for name in possible(state, wizard)}
    fits: dict[tuple[tuple[str, ...], int], bool] = {}
    for name, like in alike.items():
        if like not in fits:
            fits[like] = _counts(state, phase, name) and payable(
                discard(state, wizard, name), seat, PRICES[phase.special], (*phase.paid, name)
            )
    return tuple(name for name, like in alike.items() if fits[like])


def _payment(state: State, name: str) -> tuple[tuple[str, ...], int]:
    return state.deck[name].activation, since(state, name)


def _counts(state: State, phase: Paying, name: str) -> bool:
    """Return True if each card paid can stand for its own rune, or as an option, if this one adds a rune (R50)."""
    if state.rules.payment == "new-runes":
        return not is_paid(state, phase) and not runes_of(state, phase.paid).issuperset(state.deck[name].activation)
    cards = [state.deck[card].activation for card in (*phase.paid, name)]
    return len(cards) <= PRICES[phase.special] and any(len(set(runes)) == len(cards) for runes in product(*cards))


class Payment(CardWord):
    """A card that can be discarded next (R50)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return payments(state, seat)


_CARD: Word[State, str] = Payment("pay")


class Pay(Order, frozen=True, tag="pay"):
    """Discard a hand card for a special spell (R55)."""

    card: Annotated[str, _CARD]

    name = say("Discard")
    clauses = ("R49", "R50", "R55")
    when = (Paying,)
    declared = False
    clause = "R49"

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        broken = tuple(not_in_hand(state, seat, self.card))
        yield from broken
        if not broken and self.card not in payments(state, seat):
            text = say("{card} doesn't show a rune you need.", card=CARDS[self.card])
            yield Violation("R50", text)

    def after(self, state: State, seat: Seat) -> State:
        phase = _payment_of(state)
        phase = replace(phase, paid=(*phase.paid, self.card))
        state = replace(discard(state, wizard_at(state, seat), self.card), phase=phase)
        return state if not is_paid(state, phase) or payments(state, seat) else perform(state, phase)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(discards_text(seat, self.card), None, reveals=True)
        if not isinstance(after.phase, Paying):
            yield from _report_effect(after, seat)

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        return difference(state, after, hands=frozenset({seat}), declared=self.declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        return cards_alone(state, glance) and glance.lies(DISCARDS, Piece(self.card))

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        breach = Violation("R49", announced_text(self.card))
        for name in possible(state, wizard_at(state, seat)):
            if name != self.card:
                what = discarded_text(seat, name)
                yield illegal_attempt("other card discarded", seat, _thrown_trace(state, seat, name), breach, what)


class Enough(Order, frozen=True, tag="enough"):
    """End a payment that could take more cards (R50)."""

    name = say("That is enough")
    clauses = ("R50",)
    when = (Paying,)
    clause = "R50"

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if not is_paid(state, _payment_of(state)):
            yield Violation("R50", say("The cards don't show all the needed runes yet."))

    def after(self, state: State, seat: Seat) -> State:
        return perform(state, _payment_of(state))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        return _report_effect(after, seat)


class Withdraw(Order, frozen=True, tag="withdraw"):
    """Give up a payment; discarded cards are lost (R55)."""

    name = say("Take it back")
    clauses = ("R55",)
    when = (Paying,)
    clause = "R49"

    def after(self, state: State, seat: Seat) -> State:
        return replace(state, phase=_payment_of(state).then)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} takes the special spell back.", seat=who(seat))


def _payment_of(state: State) -> Paying:
    if not isinstance(state.phase, Paying):
        raise ValueError("nothing is paid: judge the action before applying it")
    return state.phase


def discards_text(seat: Seat, card: str) -> Text:
    return say("{seat} discards {card}.", seat=who(seat), card=CARDS[card])


# --- answering


def window(state: State, slots: tuple[Slot, ...], spells: tuple[Announced, ...], *, first: bool) -> Responding:
    """Return the phase that asks all who could answer; at first not a lone announcer (R51).

    Somebody is always asked after a payment, if only the automatic opponent casts, and with planned spells: effects
    done by hand must follow a press."""
    first = first and state.rules.decision == "in-order"
    alone = spells[0].by if first and len(spells) == 1 else None
    waiting = tuple(wizard.seat for wizard in people(state) if wizard.seat != alone and _answers(state, wizard, spells))
    pressed = first and any(not is_automatic(state, spell.by) for spell in spells)
    if not waiting and not pressed:
        waiting = tuple(wizard.seat for wizard in people(state)[:1])
    return Responding(slots, spells, waiting)


def _answers(state: State, wizard: Wizard, spells: tuple[Announced, ...]) -> bool:
    if can_counter(state, wizard.seat):
        return True
    mirrors = any(_check_mirror(state, wizard.seat, spell) is None for spell in spells)
    return mirrors and can_pay(state, wizard.seat, "mirror")


def last_window(state: State) -> LastCounter:
    """Return the phase before the end phase (R51)."""
    able = tuple(wizard.seat for wizard in people(state) if can_counter(state, wizard.seat))
    return LastCounter(able or tuple(wizard.seat for wizard in people(state)[:1]))


def perform(state: State, phase: Paying) -> State:
    """Apply a special spell at once; pending spells can then be answered again (R49)."""
    then = phase.then
    if phase.special == "counter":
        state = with_wizard(state, counter(state, wizard_at(state, phase.at)))
        told = say("{seat}'s Counter Spell: spells at {target} fail.", seat=who(phase.seat), target=who(phase.at))
    elif isinstance(then, Responding):
        then = replace(then, spells=tuple(_swap_parts(spell, phase.at) for spell in then.spells))
        turned = next(spell for spell in then.spells if spell.by == phase.at)
        told = say("{seat} mirrors: {spell}.", seat=who(phase.seat), spell=spell_text(turned))
    else:
        raise ValueError("nothing is there to be mirrored: judge the action before applying it")
    if isinstance(then, Responding):
        then = window(state, then.slots, then.spells, first=False)
    return replace(state, phase=then, story=(*state.story, told))


def _report_effect(state: State, seat: Seat) -> Iterator[Event]:
    yield Event(state.story[-1], None, reveals=True)
    lot = lot_text(state, wizard_at(state, seat))
    if lot is not None:
        yield Event(lot, None, reveals=True)


def _swap_parts(spell: Announced, by: Seat) -> Announced:
    """Return the spell, with caster and target swapped if this seat announced it (R53)."""
    return replace(spell, caster=spell.target, target=spell.caster) if spell.by == by else spell


# --- errors


def discarded_wrongly(state: State, wizard: Wizard, look: ZonePrefilter) -> Iterator[Attempt]:
    """Yield hand cards discarded without need, and discards taken."""
    seat, phase = wizard.seat, state.phase
    kind = "useless payment" if isinstance(phase, Paying) else "discarded unasked"
    throws = wizard.held and not (isinstance(phase, Paying) and phase.seat != seat) and look.only(DISCARDS)
    for name in possible(state, wizard) if throws else ():
        if look.lies(DISCARDS, Piece(name)):
            trace = partial(_thrown_trace, state, seat, name)
            yield from at_wrong_time(state, kind, seat, trace, Pay(name), discarded_text(seat, name))
    if state.discards and look.only(DISCARDS):
        top = CARDS[state.discards[-1]]
        left = discards_layout(state.discards[:-1])
        taken = single_hand_trace(state, seat, left, moves=(Move(Spot(DISCARDS, 0), None),))
        breach = Violation("R55", say("{card} stays discarded.", card=top))
        what = say("{card} was taken from the discards.", card=top)
        yield illegal_attempt("discard taken", seat, taken, breach, what)


def _thrown_trace(state: State, seat: Seat, name: str) -> Trace:
    return single_hand_trace(state, seat, discards_layout((name,)), moves=(Move(None, Spot(DISCARDS, 0)),))
