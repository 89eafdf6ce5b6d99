"""Casting: order, targets and energy of spells (R13-R16, R19, R20, R25-R30, R32, R44-R46). Forgetfulness asks its
caster for cards (R45)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated

import msgspec
from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Violation
from engine.game import Attempt, Choice, Words, per_state
from engine.rules import Values, Word
from engine.runes.cards import ACTIVATION, CARDS, ENERGY, EXCUSE, SUITS, height, list_cards
from engine.runes.mat import card_spots, sequence_layout, sequence_zone, single_hand_trace
from engine.runes.match import (
    Announced,
    Phase,
    Queued,
    Slot,
    State,
    Wizard,
    face_up_cards,
    is_automatic,
    living,
    not_there,
    people,
    with_wizard,
    wizard_at,
)
from engine.runes.order import JOIN, Order, cards_read, illegal_attempt, seat_read, turned_up_text
from engine.runes.spells import NAMES, SPELLS, Spell, active, forgettable, of_rune, spell_text, stop_reason
from engine.table import Seat, Spot
from engine.text import Text, say, who
from engine.view import Event, Json

# --- Forgetfulness


NONE = "none"


class Forgetting(Phase, frozen=True, tag="forgetting"):
    """Casters of Forgetfulness choose cards (R45). chosen: by original caster; secret until complete."""

    slots: tuple[Slot, ...]
    spells: tuple[Announced, ...]
    chosen: dict[Seat, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def asked_seats(self, state: State) -> frozenset[Seat]:
        casters = (spell.caster for spell in self.unchosen(state))
        return frozenset(caster for caster in casters if not is_automatic(state, caster))

    def unchosen(self, state: State) -> Iterator[Announced]:
        """Yield spells that await cards, except stopped ones and those of casters who are gone."""
        for spell in self.spells:
            here = not wizard_at(state, spell.caster).gone and spell.by not in self.chosen
            if here and forgettable(state, spell):
                yield spell

    def of(self, state: State, seat: Seat) -> Announced | None:
        return next((spell for spell in self.unchosen(state) if spell.caster == seat), None)

    def with_choice(self, spell: Announced, cards: tuple[str, ...]) -> Forgetting:
        return replace(self, chosen={**self.chosen, spell.by: cards})

    def turn_clause(self, state: State) -> str:
        return "R45"

    def wanted_text(self, state: State) -> Text:
        return say("Players are choosing cards to turn down.")

    def question(self, state: State, seat: Seat) -> Text:
        spell = self.of(state, seat)
        return say("Cards to turn down: up to {count}.", count=len(spell.cards) if spell is not None else 0)

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat} chooses cards to turn down.", seat=who)

    def places(self, state: State) -> tuple[Slot, ...]:
        return self.slots

    def pending(self, state: State) -> tuple[Announced, ...]:
        return self.spells

    def secret(self, state: State, seat: Seat) -> Json:
        own = {s.by: self.chosen[s.by] for s in self.spells if s.caster == seat and s.by in self.chosen}
        return {by: cards for by, cards in own.items()} or None


class CardChoice(Word[State, tuple[str, ...]]):
    """Up to as many cards as Leaves used (R45), as one word; in menus the most first, none last."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterator[tuple[str, ...]]:
        spell = _asked_for(state, seat)
        if spell is not None:
            cards = forgettable(state, spell)
            for count in range(len(spell.cards), -1, -1):
                yield from combinations(cards, count)

    def write(self, state: State, value: tuple[str, ...], before: Values) -> Words:
        return (JOIN.join(value) if value else NONE,)

    def text(self, state: State, value: tuple[str, ...], before: Values, number: int) -> Text:
        return list_cards(value) if value else say("None")

    def means(self, state: State, value: tuple[str, ...], number: int) -> tuple[Spot, ...]:
        return card_spots(state, value)


_CARDS: Word[State, tuple[str, ...]] = CardChoice()


class Forget(Order, frozen=True, tag="forget"):
    """Choose the cards to turn face down (R45)."""

    cards: Annotated[tuple[str, ...], _CARDS] = ()

    name = say("Turn down")
    clauses = ("R45",)
    when = (Forgetting,)
    clause = "R45"

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        spell = _asked_for(state, seat)
        if spell is None:
            return
        there, target = forgettable(state, spell), who(spell.target)
        for name in self.cards:
            if name not in there:
                text = say("{card} does not lie open in the sequence of {seat}.", card=CARDS[name], seat=target)
                yield Violation("R45", text)
        if len(self.cards) > len(spell.cards):
            yield Violation("R45", say("Cards turned down: at most {count}.", count=len(spell.cards)))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Forget:
        """Read `forget mill+sea` or `forget none`."""
        if not rest:
            raise Ambiguous(say("Which card? {verb} {card}", verb="forget", card="…"))
        if len(rest) > 4:
            raise cls.too_many(rest)
        return Forget() if rest == (NONE,) else Forget(cards_read(state, rest))

    def after(self, state: State, seat: Seat) -> State:
        spell = _asked_for(state, seat)
        if spell is None or not isinstance(state.phase, Forgetting):
            raise ValueError("nobody forgets: judge the action before applying it")
        return replace(state, phase=state.phase.with_choice(spell, self.cards))

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} has chosen.", seat=who(seat))


def _asked_for(state: State, seat: Seat) -> Announced | None:
    return state.phase.of(state, seat) if isinstance(state.phase, Forgetting) else None


def lies_down(card: str) -> Violation:
    return Violation("R45", say("{card} lies face down.", card=CARDS[card]))


def turned_back(state: State) -> State:
    """Turn forgotten cards face up at the turn's end, if the option says so (R45)."""
    if state.rules.forgetting != "turn":
        return state
    wizards = tuple(replace(w, sequence=tuple(Queued(q.card) for q in w.sequence)) for w in state.wizards)
    return replace(state, wizards=wizards)


def turned_up_again(state: State, wizard: Wizard, number: int) -> Iterator[Attempt]:
    queued, seat = wizard.sequence[number], wizard.seat
    if not queued.down:
        return
    queue = (*wizard.sequence[:number], Queued(queued.card), *wizard.sequence[number + 1 :])
    trace = single_hand_trace(
        state, seat, sequence_layout(seat, queue), moves=(), turned=frozenset({Spot(sequence_zone(seat), number)})
    )
    breach = Violation("R45", say("{card} stays face down.", card=CARDS[queued.card]))
    yield illegal_attempt("turned up again", seat, trace, breach, turned_up_text(queued.card))


# --- casting


def order_of_runes(state: State) -> tuple[Slot, ...]:
    """Return this phase's slots in order (R25)."""
    return tuple(slot for rune in ACTIVATION for slot in _row(state, rune))


def _row(state: State, rune: str) -> tuple[Slot, ...]:
    """Return a rune's slots: high to low (R26), equal ranks together (R27)."""
    ranks = {
        wizard.seat: rank_of(state, wizard)
        for wizard in living(state)
        if wizard.active is not None and rune in state.deck[wizard.active].activation
    }
    return tuple(
        Slot(rune, rank, tuple(seat for seat, own in ranks.items() if own == rank))
        for rank in sorted(set(ranks.values()), reverse=True)
    )


def rank_of(state: State, wizard: Wizard) -> int:
    """Return the rank of a wizard's active card (R26); 0 without one."""
    return height(state.deck[wizard.active], state.rules.ace) if wizard.active is not None else 0


def still_shown(state: State, seat: Seat, slot: Slot) -> bool:
    """Return True if the caster, not gone, shows the slot's rune (R46)."""
    wizard = wizard_at(state, seat)
    if wizard.gone or wizard.active is None or slot.rune not in state.deck[wizard.active].activation:
        return False
    return not any(queued.down for queued in wizard.sequence if queued.card == wizard.active)


# --- choosing spells: each at its place in the order, or, as an option, all in secret after the reveal


class SpellPhase(Phase, frozen=True):
    slots: tuple[Slot, ...]

    def places(self, state: State) -> tuple[Slot, ...]:
        return self.slots

    def question(self, state: State, seat: Seat) -> Text:
        found = place(state, seat)
        assert found is not None
        return say("{rune}: cast a spell, or pass.", rune=SUITS[found[1].rune])


class Planning(SpellPhase, frozen=True, tag="planning"):
    """All spells of the phase are chosen in secret, each seat's one by one."""

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(wizard.seat for wizard in people(state) if place(state, wizard.seat) is not None)

    def turn_clause(self, state: State) -> str:
        return "R32"

    def wanted_text(self, state: State) -> Text:
        return say("All spells are chosen in secret now.")

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{seat}: choose all spells in secret.", seat=who)


class Casting(SpellPhase, frozen=True, tag="casting"):
    """The first slot's casters announce a spell or pass. chosen: secret until complete (R30)."""

    chosen: dict[Seat, Announced | None] = msgspec.field(default_factory=dict)

    def asked_seats(self, state: State) -> frozenset[Seat]:
        return frozenset(_next(state, [seat for seat in casters(state, self) if not is_automatic(state, seat)]))

    def turn_clause(self, state: State) -> str:
        return "R26"

    def wanted_text(self, state: State) -> Text:
        return say("Spells are announced now.")

    def waiting_text(self, state: State, who: Text) -> Text:
        return say("{rune}: {seat} may cast.", rune=SUITS[self.slots[0].rune], seat=who)

    def pending(self, state: State) -> tuple[Announced, ...]:
        if state.rules.simultaneous != "open":
            return ()
        return tuple(spell for spell in self.chosen.values() if spell is not None)

    def secret(self, state: State, seat: Seat) -> Json:
        return choice_text(self.chosen[seat]) if seat in self.chosen else None


class Answering(Phase, frozen=True):
    def let_pass(self, seat: Seat) -> Phase:
        raise NotImplementedError


def place(state: State, seat: Seat) -> tuple[State, Slot] | None:
    """Return the state to judge a seat's next spell by, and its slot; None if not asked."""
    match state.phase:
        case Casting(slots):
            return (state, slots[0]) if slots and seat in slots[0].seats else None
        case Planning(slots):
            return _unplan(state, seat, slots)
        case _:
            return None


def _unplan(state: State, seat: Seat, slots: tuple[Slot, ...]) -> tuple[State, Slot] | None:
    own, then = state.plan.get(seat, {}), _spending(state, seat)
    open_slots = (slot for slot in slots if seat in slot.seats and slot.rune not in own)
    found = next((slot for slot in open_slots if castings(then, seat, slot)), None)
    return None if found is None else (then, found)


def _spending(state: State, seat: Seat) -> State:
    spells = [spell for spell in state.plan.get(seat, {}).values() if spell is not None]
    wizard, used = wizard_at(state, seat), [rune for spell in spells for rune in powering(spell)]
    return with_wizard(state, replace(wizard, used=(*wizard.used, *used))) if used else state


def powering(spell: Announced) -> tuple[tuple[str, str], ...]:
    """Return a spell's energy runes (R13) as (card, suit)."""
    suit = SPELLS[spell.spell].suit
    return () if suit is None else tuple((name, suit) for name in spell.cards)


def plan_spell(state: State, seat: Seat, spell: Announced | None) -> State:
    found = place(state, seat)
    assert found is not None
    own = {**state.plan.get(seat, {}), found[1].rune: spell}
    return replace(state, plan={**state.plan, seat: own})


def kept_spells(state: State, slot: Slot) -> tuple[Announced, ...]:
    """Return a slot's planned spells that can still be cast."""
    own = (state.plan.get(seat, {}).get(slot.rune) for seat in slot.seats)
    casts = ((spell, Cast(spell.spell, spell.target, spell.cards)) for spell in own if spell is not None)
    return tuple(spell for spell, cast in casts if not any(cast.faults(state, spell.by, slot)))


# --- what can be cast


def energy(state: State, seat: Seat, suit: str) -> tuple[str, ...]:
    """Return face-up cards with an unused rune of the suit, oldest first (R13, R15)."""
    wizard = wizard_at(state, seat)
    return tuple(
        name for name in face_up_cards(wizard) if suit in state.deck[name].suits and (name, suit) not in wizard.used
    )


def powers(state: State, wizard: Wizard) -> dict[str, tuple[str, ...]]:
    """Return a wizard's unused energy cards by suit (R15)."""
    found = {suit: energy(state, wizard.seat, suit) for suit in ENERGY}
    return {suit: cards for suit, cards in found.items() if cards}


@per_state
def castings(state: State, seat: Seat, slot: Slot) -> tuple[Cast, ...]:
    if not still_shown(state, seat, slot):
        return ()
    found = [
        Cast(spell.name, target, cards)
        for spell in of_rune(slot.rune)
        for target in aims(state, seat, spell)
        for cards in _amounts(state, seat, spell)
    ]
    return tuple(sorted(found, key=lambda cast: _worth(state, seat, cast), reverse=True))


def casters(state: State, phase: Casting) -> list[Seat]:
    """Return the first slot's seats that can cast and have not chosen (R32)."""
    if not phase.slots or is_planned(state):
        return []
    slot = phase.slots[0]
    return [seat for seat in slot.seats if seat not in phase.chosen and castings(state, seat, slot)]


def _next(state: State, able: list[Seat]) -> list[Seat]:
    """Return the seats to ask at once: all, or the first if choices are open (R30)."""
    return able[:1] if state.rules.simultaneous == "open" else able


def is_planned(state: State) -> bool:
    """Return True if all spells are chosen right after the reveal (R32)."""
    return state.rules.decision == "at-reveal"


def chooses(state: State, seat: Seat) -> bool:
    if isinstance(state.phase, Casting):
        return seat in _next(state, casters(state, state.phase))
    return isinstance(state.phase, Planning) and place(state, seat) is not None


def aims(state: State, seat: Seat, spell: Spell) -> Iterator[Seat]:
    """Yield a spell's targets, clockwise from the lowest seat (R29)."""
    return (w.seat for w in living(state) if _target_fault(state, seat, spell, w.seat) is None)


def _amounts(state: State, seat: Seat, spell: Spell) -> tuple[tuple[str, ...], ...]:
    """Return the allowed sets of energy cards (R16, R19, R20)."""
    if spell.suit is None:
        return ((),)
    cards = energy(state, seat, spell.suit)
    if state.rules.energy == "all":
        return (cards,) if cards else ()
    if state.rules.energy_cards == "oldest":
        return tuple(cards[:count] for count in range(1, len(cards) + 1))
    return tuple(chosen for count in range(1, len(cards) + 1) for chosen in combinations(cards, count))


def _worth(state: State, seat: Seat, cast: Cast) -> tuple[bool, int]:
    return stop_reason(state, cast.announce(seat)) is None, len(cast.cards)


ACTIVATION_DOWN = Violation("R46", say("The activation rune is face down."))


class SpellName(Word[State, str]):
    pass


class TargetWord(Word[State, Seat]):
    """The target, implied for Moons (R29)."""

    optional = True

    def write(self, state: State, value: Seat, before: Values) -> Words:
        return () if SPELLS[before[0]].rune == "moons" else (value,)


class Energy(Word[State, tuple[str, ...]]):
    """The cards that power the spell (R16), as one word."""

    optional = True

    def write(self, state: State, value: tuple[str, ...], before: Values) -> Words:
        return (JOIN.join(value),) if value else ()


_SPELL, _TARGET, _ENERGY = SpellName(), TargetWord(), Energy()


class Cast(Order, frozen=True, tag="cast"):
    """Announce a basic spell with target and energy cards (R28)."""

    spell: Annotated[str, _SPELL]
    target: Annotated[Seat, _TARGET]
    cards: Annotated[tuple[str, ...], _ENERGY] = ()

    name = say("Cast")
    clauses = ("R19", "R28", "R29")  # whether a spell is cast or none may be chosen in secret
    when = (Planning, Casting)
    clause = "R32"

    def out_of_turn_violation(self, state: State, seat: Seat) -> Iterator[Violation]:
        wizard, phase = wizard_at(state, seat), state.phase
        if any(queued.down for queued in wizard.sequence if queued.card == wizard.active):
            yield ACTIVATION_DOWN
        elif isinstance(phase, Casting) and phase.slots:
            yield from out_of_order(state, seat, SPELLS[self.spell], phase.slots[0])

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        found = place(state, seat)
        return self.faults(found[0], seat, found[1]) if found is not None else iter(())

    def faults(self, state: State, seat: Seat, slot: Slot) -> Iterator[Violation]:
        if not still_shown(state, seat, slot):
            yield ACTIVATION_DOWN
            return
        spell = SPELLS[self.spell]
        yield from out_of_order(state, seat, spell, slot)
        if wizard_at(state, self.target).gone:
            gone = not_there(self.target)
            yield Violation("R29", gone.text)
            yield gone
        elif (fault := _target_fault(state, seat, spell, self.target)) is not None:
            yield fault
        yield from _energy_faults(state, seat, spell, self.cards)

    @classmethod
    def candidates(cls, state: State, seat: Seat, before: Values = ()) -> Iterator[Cast]:
        found = place(state, seat)
        for cast in castings(found[0], seat, found[1]) if found is not None else ():
            if (cast.spell, cast.target, cast.cards)[: len(before)] == before:
                yield cast

    @classmethod
    def first(cls, state: State, seat: Seat, before: Values = ()) -> Cast | None:
        return next(cls.candidates(state, seat), None)

    @classmethod
    def menu(cls, state: State, seat: Seat, rest: Words) -> Iterator[Choice]:
        found, depth = set[str](), len(rest)
        for cast in cls.candidates(state, seat):
            words = cast.words(state)
            if len(words) > depth and words[:depth] == rest and words[depth] not in found:
                found.add(words[depth])
                whole = len(words) == depth + 1
                means = card_spots(state, cast.cards) if whole else ()
                yield Choice(words[depth], cast.label(depth), whole, means=means)

    def label(self, number: int) -> Text:
        if number == 0:
            return NAMES[self.spell]
        if number == 1 and SPELLS[self.spell].rune != "moons":
            return say("at {seat}", seat=who(self.target))
        return say("Energy {count}: {cards}", count=len(self.cards), cards=list_cards(self.cards))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Cast:
        """Read `cast heal forest+harvest` or `cast fireball b desert`; cards may be joined or apart."""
        if not rest:
            raise Ambiguous(say("Which spell? {verb} {spell}", verb="cast", spell="…"))
        if len(rest) > 6:
            raise cls.too_many(rest)
        if rest[0] not in SPELLS:
            raise Invalid(say("{word} is not a spell. Spells: {known}.", word=rest[0], known=", ".join(SPELLS)))
        spell, more = SPELLS[rest[0]], rest[1:]
        if spell.rune == "moons":
            more = more[1:] if more[:1] == (seat,) else more
            if more and more[0] in {wizard.seat for wizard in state.wizards}:
                raise Invalid(say("{spell} aims at its caster: no other target can be named.", spell=spell.name))
            return Cast(spell.name, seat, cards_read(state, more))
        if not more:
            raise Ambiguous(say("At whom? {verb} {seat}", verb=f"cast {spell.name}", seat="…"))
        return Cast(spell.name, seat_read(state, more[0]), cards_read(state, more[1:]))

    def announce(self, seat: Seat) -> Announced:
        return Announced(seat, self.spell, seat, self.target, self.cards)

    def after(self, state: State, seat: Seat) -> State:
        return choose(state, seat, self.announce(seat))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        if isinstance(before.phase, Casting) and before.rules.simultaneous == "open":
            yield Event(announcement(self.announce(seat)), None)
        else:
            yield Event(say("You cast: {spell}.", spell=spell_text(self.announce(seat))), frozenset({seat}))
            yield _has_chosen(seat)


class PassSpell(Order, frozen=True, tag="pass"):
    """Cast no spell (R19), or do not answer one."""

    name = say("Pass")
    clauses = Cast.clauses
    when = (Planning, Casting, Answering)
    clause = "R19"

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        found = place(state, seat)
        if state.rules.casting == "required" and found is not None and castings(found[0], seat, found[1]):
            yield Violation("R19", say("A spell that can be cast must be cast."))

    def after(self, state: State, seat: Seat) -> State:
        if isinstance(state.phase, Answering):
            return replace(state, phase=state.phase.let_pass(seat))
        return choose(state, seat, None)

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        if isinstance(before.phase, Answering):
            yield Event(say("{seat} lets it happen.", seat=who(seat)), None)
        else:
            yield Event(say("You pass."), frozenset({seat}))
            yield _has_chosen(seat)


def _has_chosen(seat: Seat) -> Event:
    return Event(say("{seat} has chosen.", seat=who(seat)), None)


def choose(state: State, seat: Seat, spell: Announced | None) -> State:
    """Note a choice, secret until all simultaneous ones are made (R30). None: no spell."""
    phase = state.phase
    if isinstance(phase, Casting):
        return replace(state, phase=replace(phase, chosen={**phase.chosen, seat: spell}))
    return plan_spell(state, seat, spell)


def announcement(spell: Announced) -> Text:
    """Return the public sentence: name, target, energy (R28)."""
    if not spell.cards:
        return say("{spell} is announced.", spell=spell_text(spell))
    return say("{spell} is announced, with {cards}.", spell=spell_text(spell), cards=list_cards(spell.cards))


def choice_text(spell: Announced | None) -> str:
    return "pass" if spell is None else str(announcement(spell))


def spend_energy(state: State, spell: Announced) -> State:
    """Mark energy as used, whatever becomes of the spell (R15)."""
    wizard = wizard_at(state, spell.by)
    return with_wizard(state, replace(wizard, used=(*wizard.used, *powering(spell))))


# --- violations


def out_of_order(state: State, seat: Seat, spell: Spell, slot: Slot) -> Iterator[Violation]:
    """Yield violations if the active card lacks the spell's rune, or that rune does not resolve now."""
    yield from _rune_shown(state, seat, spell)
    if spell.rune == slot.rune:
        return
    text = say(
        "{spell} needs {rune}; now {other} resolve.",
        spell=NAMES[spell.name],
        rune=SUITS[spell.rune],
        other=SUITS[slot.rune],
    )
    yield Violation("R25", text)


def _rune_shown(state: State, seat: Seat, spell: Spell) -> Iterator[Violation]:
    card = wizard_at(state, seat).active
    if card is not None and spell.rune not in state.deck[card].activation:
        yield Violation("R14", say("{card} has no rune of {suit}.", card=CARDS[card], suit=SUITS[spell.rune]))


def _target_fault(state: State, seat: Seat, spell: Spell, target: Seat) -> Violation | None:
    """Return the violation: Moons aim at oneself, Wyrms at an opponent (R29), none at invisible others (R44)."""
    if (target == seat) if spell.rune == "wyrms" else (target != seat and spell.rune == "moons"):
        return Violation("R29", say("Moons aim at their caster, Wyrms at an opponent."))
    return out_of_sight(wizard_at(state, target)) if target != seat and is_invisible(state, target) else None


def is_invisible(state: State, seat: Seat) -> bool:
    return active(state, wizard_at(state, seat), "invisible")


def out_of_sight(target: Wizard) -> Violation:
    return Violation("R44", say("{seat} is invisible.", seat=who(target.seat)))


def _energy_faults(state: State, seat: Seat, spell: Spell, cards: tuple[str, ...]) -> Iterator[Violation]:
    if spell.suit is None:
        if cards:
            yield Violation("R20", say("{spell} uses no energy.", spell=NAMES[spell.name]))
        return
    if not cards:
        text = say("{spell} needs at least one rune of {suit}.", spell=NAMES[spell.name], suit=SUITS[spell.suit])
        yield Violation("R20", text)
        return
    broken = [fault for name in cards if (fault := _rune_fault(state, seat, spell.suit, name)) is not None]
    yield from broken
    if not broken and cards not in _amounts(state, seat, spell):
        yield Violation("R19", say("By these rules you use all the energy, or the oldest first."))


def _rune_fault(state: State, seat: Seat, suit: str, name: str) -> Violation | None:
    wizard = wizard_at(state, seat)
    lies = {queued.card: queued for queued in wizard.sequence}
    if name not in lies:
        return Violation("R13", say("{card} is not in your sequence.", card=CARDS.get(name, CARDS[EXCUSE])))
    if lies[name].down:
        return lies_down(name)
    if suit not in state.deck[name].suits:
        return Violation("R20", say("{card} has no rune of {suit}.", card=CARDS[name], suit=SUITS[suit]))
    if (name, suit) in wizard.used:
        return Violation("R15", say("The {suit} of {card} have been used.", suit=SUITS[suit], card=CARDS[name]))
    return None
