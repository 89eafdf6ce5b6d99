"""States that differ only in what somebody must not know: another secret choice, another future."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from engine.runes.casting import Casting, Forgetting, castings, order_of_runes
from engine.runes.laying import lot_text
from engine.runes.match import Announced, Slot, State, people
from engine.runes.specials import Paying
from engine.runes.spells import forgettable
from engine.table import Seat

FUTURE = 0.08
"""How often a state without any secret counts as one whose future is: the others are not wanted."""


def twin(rng: Random, state: State, seat: Seat | None) -> State:
    """Another choice of whoever chose in secret (R30, R32, R45, R63); sometimes what the seed will decide later."""
    found = _rechosen(rng, state, seat)
    if found != state or rng.random() > FUTURE:
        return found
    asked = replace(state, phase=state.phase.then) if isinstance(state.phase, Paying) else state
    for _ in range(50):  # where a random card lies is told to everybody (R47), and still is after a payment
        seed = rng.randrange(1_000_000)
        if all(lot_text(replace(asked, seed=seed), wizard) == lot_text(asked, wizard) for wizard in people(state)):
            return replace(state, seed=seed)
    return state


def _rechosen(rng: Random, state: State, seat: Seat | None) -> State:
    phase = state.phase.then if isinstance(state.phase, Paying) else state.phase
    if state.plan:
        plans = {planner: _replanned(rng, state, planner) for planner in state.plan if planner != seat}
        return replace(state, plan={**state.plan, **plans})
    if isinstance(phase, Casting):
        chosen = {chooser: _other(rng, state, phase, chooser) for chooser in phase.chosen if chooser != seat}
        return _in(state, replace(phase, chosen={**phase.chosen, **chosen}))
    if isinstance(phase, Forgetting):
        spells = [spell for spell in phase.spells if spell.by in phase.chosen and spell.caster != seat]
        cards = {spell.by: _forgotten(rng, state, spell) for spell in spells}
        return _in(state, replace(phase, chosen={**phase.chosen, **cards}))
    return state


def _in(state: State, phase: Casting | Forgetting) -> State:
    """The state in another phase, or paying for something within it."""
    if isinstance(state.phase, Paying) and isinstance(phase, Casting):
        return replace(state, phase=replace(state.phase, then=phase))
    return replace(state, phase=phase)


def _forgotten(rng: Random, state: State, spell: Announced) -> tuple[str, ...]:
    """A legal choice of cards to be turned down (R45)."""
    cards = forgettable(state, spell)
    picked = rng.sample(cards, rng.randint(0, min(len(cards), len(spell.cards))))
    return tuple(card for card in cards if card in picked)


def _other(rng: Random, state: State, phase: Casting, seat: Seat) -> Announced | None:
    """A legal choice, the one that was made included."""
    return _spell(rng, state, phase.slots[0], seat)


def _spell(rng: Random, state: State, slot: Slot, seat: Seat) -> Announced | None:
    return rng.choice([*(cast.announce(seat) for cast in castings(state, seat, slot)), None])


def _replanned(rng: Random, state: State, seat: Seat) -> dict[str, Announced | None]:
    """Another choice for each of the runes that a seat has chosen a spell for (R32)."""
    chosen: dict[str, Announced | None] = {}
    for rune in state.plan[seat]:
        slot = next((slot for slot in order_of_runes(state) if slot.rune == rune and seat in slot.seats), None)
        chosen[rune] = _spell(rng, state, slot, seat) if slot is not None else None
    return chosen
