"""States that differ only in what somebody must not know: another secret choice, another future."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from engine.runes.casting import castings
from engine.runes.effects import active
from engine.runes.order import slots
from engine.runes.phases import announced_by
from engine.runes.state import Announced, Casting, Slot, State, people
from engine.table import Seat


def twin(rng: Random, state: State, seat: Seat | None) -> State:
    """Another choice of whoever has chosen in secret (R30); if nobody has, what the seed will decide later."""
    phase = state.phase
    plans = {planner: _replanned(rng, state, planner) for planner in state.plan if planner != seat}
    if any(plans.values()):
        return replace(state, plan={**state.plan, **plans})
    if isinstance(phase, Casting):
        others = [chooser for chooser in phase.chosen if chooser not in (seat, state.rules.opponent)]
        chosen = {chooser: _other(rng, state, phase, chooser) for chooser in others}
        if chosen:
            return replace(state, phase=replace(phase, chosen={**phase.chosen, **chosen}))
    if any(active(state, wizard, "confused") for wizard in people(state)):
        return state
    return replace(state, seed=rng.randrange(1_000_000))


def _other(rng: Random, state: State, phase: Casting, seat: Seat) -> Announced | None:
    """A legal choice, the one that was made included."""
    return _spell(rng, state, phase.slots[0], seat)


def _spell(rng: Random, state: State, slot: Slot, seat: Seat) -> Announced | None:
    return rng.choice([*(announced_by(seat, cast) for cast in castings(state, seat, slot)), None])


def _replanned(rng: Random, state: State, seat: Seat) -> dict[str, Announced | None]:
    """Another choice for each of the runes that a seat has chosen a spell for (R32)."""
    chosen: dict[str, Announced | None] = {}
    for rune in state.plan[seat]:
        slot = next((slot for slot in slots(state) if slot.rune == rune and seat in slot.seats), None)
        chosen[rune] = _spell(rng, state, slot, seat) if slot is not None else None
    return chosen
