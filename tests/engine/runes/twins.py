"""States that differ only in what somebody must not know: another secret choice, another future."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from engine.runes.casting import castings
from engine.runes.effects import active
from engine.runes.phases import announced_by
from engine.runes.state import Announced, Casting, State, people
from engine.table import Seat


def twin(rng: Random, state: State, seat: Seat | None) -> State:
    """Another choice of whoever has chosen in secret (R30); if nobody has, what the seed will decide later."""
    phase = state.phase
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
    spells = [announced_by(seat, cast) for cast in castings(state, seat, phase.slots[0])]
    return rng.choice([*spells, None])
