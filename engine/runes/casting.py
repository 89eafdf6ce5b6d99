"""Which basic spells can be cast: spell, target, and energy card by card (R13-R20, R28, R29, R44)."""

from __future__ import annotations

from itertools import combinations

from engine.errors import Breach
from engine.memo import per_state
from engine.runes.actions import Cast
from engine.runes.cards import ENERGY, EXCUSE
from engine.runes.effects import active, stopped
from engine.runes.names import CARDS, SUITS
from engine.runes.names import SPELLS as NAMES
from engine.runes.order import still_shown
from engine.runes.spells import SPELLS, Spell, of_rune
from engine.runes.state import Announced, Casting, Slot, State, Wizard, living, shown, wizard_at
from engine.table import Seat
from engine.text import say

ACTIVATION_DOWN = Breach("R46", say("The activation rune has been turned face down."))


def energy(state: State, seat: Seat, suit: str) -> tuple[str, ...]:
    """The cards whose rune of a suit can still power a spell, oldest first (R13, R15, R43)."""
    wizard = wizard_at(state, seat)
    return tuple(name for name in shown(wizard) if suit in state.deck[name].suits and (name, suit) not in wizard.used)


def powers(state: State, wizard: Wizard) -> dict[str, tuple[str, ...]]:
    """The energy runes that a wizard can still use this turn, by suit."""
    found = {suit: energy(state, wizard.seat, suit) for suit in ENERGY}
    return {suit: cards for suit, cards in found.items() if cards}


def targets(state: State, seat: Seat, spell: Spell) -> tuple[Seat, ...]:
    """R29: oneself, an opponent or anybody; R44: not an invisible other."""
    if spell.rune == "moons":
        return (seat,)
    seen = tuple(w.seat for w in living(state) if w.seat == seat or not active(state, w, "invisible"))
    return tuple(other for other in seen if other != seat) if spell.rune == "wyrms" else seen


@per_state
def castings(state: State, seat: Seat, slot: Slot) -> tuple[Cast, ...]:
    """Every legal casting of a seat in a slot, those with the greatest effect first."""
    if not still_shown(state, seat, slot):
        return ()
    found = [
        Cast(spell.name, target, cards)
        for spell in of_rune(slot.rune)
        for target in targets(state, seat, spell)
        for cards in _amounts(state, seat, spell)
    ]
    return tuple(sorted(found, key=lambda cast: _worth(state, seat, cast), reverse=True))


def castable(state: State, phase: Casting) -> tuple[Seat, ...]:
    """Who in the first slot has a spell to cast."""
    if not phase.slots:
        return ()
    return tuple(seat for seat in phase.slots[0].seats if castings(state, seat, phase.slots[0]))


def _amounts(state: State, seat: Seat, spell: Spell) -> tuple[tuple[str, ...], ...]:
    """The energy that a spell may use: any of its suit's runes, at least one (R16, R19, R20)."""
    if spell.suit is None:
        return ((),)
    cards = energy(state, seat, spell.suit)
    if state.rules.energy == "all":
        return (cards,) if cards else ()
    if state.rules.energy_cards == "oldest":
        return tuple(cards[:count] for count in range(1, len(cards) + 1))
    return tuple(chosen for count in range(1, len(cards) + 1) for chosen in combinations(cards, count))


def _worth(state: State, seat: Seat, cast: Cast) -> tuple[bool, int]:
    """What is stopped comes last; among the others more energy comes first."""
    works = stopped(state, Announced(seat, cast.spell, seat, cast.target, cast.cards)) is None
    return works, len(cast.cards)


def faults(state: State, seat: Seat, cast: Cast, slot: Slot) -> tuple[Breach, ...]:
    """Every clause that a casting breaks."""
    spell = SPELLS[cast.spell]
    if not still_shown(state, seat, slot):
        return (ACTIVATION_DOWN,)
    broken = out_of_order(state, seat, spell, slot)
    broken += _target_faults(state, seat, spell, cast.target)
    broken += _energy_faults(state, seat, spell, cast.cards)
    return tuple(broken)


def out_of_order(state: State, seat: Seat, spell: Spell, slot: Slot) -> list[Breach]:
    """R25: a spell of another activation rune than the one that resolves now; R14: or of none on the new card."""
    broken = _rune_shown(state, seat, spell)
    if spell.rune == slot.rune:
        return broken
    text = say(
        "{spell} needs {rune}; now {other} resolve.",
        spell=NAMES[spell.name],
        rune=SUITS[spell.rune],
        other=SUITS[slot.rune],
    )
    return [*broken, Breach("R25", text)]


def _rune_shown(state: State, seat: Seat, spell: Spell) -> list[Breach]:
    """R14: only the card played in this phase activates."""
    card = wizard_at(state, seat).active
    if card is None or spell.rune in state.deck[card].activation:
        return []
    return [Breach("R14", say("{card} has no rune of {suit}.", card=CARDS[card], suit=SUITS[spell.rune]))]


def _target_faults(state: State, seat: Seat, spell: Spell, target: Seat) -> list[Breach]:
    if target not in {wizard.seat for wizard in living(state)}:
        gone = say("{seat} is no longer there.", seat=target.upper())
        return [Breach("R29", gone), Breach("R59", gone)]
    if target in targets(state, seat, spell):
        return []
    if target == seat or spell.rune == "moons":
        text = say("Moons aim at their caster, Wyrms at an opponent.")
        return [Breach("R29", text)]
    return [Breach("R44", say("{seat} is invisible.", seat=target.upper()))]


def _energy_faults(state: State, seat: Seat, spell: Spell, cards: tuple[str, ...]) -> list[Breach]:
    if spell.suit is None:
        return [Breach("R20", say("{spell} uses no energy.", spell=NAMES[spell.name]))] if cards else []
    if not cards:
        text = say("{spell} needs at least one rune of {suit}.", spell=NAMES[spell.name], suit=SUITS[spell.suit])
        return [Breach("R20", text)]
    broken = [fault for name in cards if (fault := _rune_fault(state, seat, spell.suit, name)) is not None]
    if not broken and cards not in _amounts(state, seat, spell):
        broken.append(Breach("R19", say("The energy is used as the options say: all of it, or the oldest first.")))
    return broken


def _rune_fault(state: State, seat: Seat, suit: str, name: str) -> Breach | None:
    wizard = wizard_at(state, seat)
    lies = {queued.card: queued for queued in wizard.sequence}
    if name not in lies:
        return Breach("R13", say("{card} is not in your sequence.", card=CARDS.get(name, CARDS[EXCUSE])))
    if lies[name].down:
        return Breach("R45", say("{card} lies face down.", card=CARDS[name]))
    if suit not in state.deck[name].suits:
        return Breach("R20", say("{card} has no rune of {suit}.", card=CARDS[name], suit=SUITS[suit]))
    if (name, suit) in wizard.used:
        return Breach("R15", say("The {suit} of {card} have been used.", suit=SUITS[suit], card=CARDS[name]))
    return None
