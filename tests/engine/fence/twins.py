"""States that differ only in what nobody may know yet: how coins will fall. Hands are no part of a state."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from engine.draws import draw
from engine.fence.bout import Stage, State
from engine.table import Seat


def twin(rng: Random, state: State, seat: Seat | None) -> State:
    """The same bout with other tosses to come (F58, F99, F105)."""
    del seat
    while True:
        other = replace(state, seed=rng.randrange(1_000_000))
        # A toss is told to everybody as soon as it is made, so where one is near both must fall alike.
        tosses = {draw(f"fence/{seed}/passivity", 2) for seed in (other.seed, state.seed)}
        if state.stage is not Stage.LAST_HANDS or len(tosses) == 1:
            return other
