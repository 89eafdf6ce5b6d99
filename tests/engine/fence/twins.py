"""States that differ only in what nobody may know yet: how coins will fall. Hands are no part of a state."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from engine.fence.coins import coin
from engine.fence.state import Stage, State
from engine.table import Seat


def twin(rng: Random, state: State, seat: Seat | None) -> State:
    """The same bout with other tosses to come (F58, F99, F105)."""
    del seat
    while True:
        other = replace(state, seed=rng.randrange(1_000_000))
        # A toss is told to everybody as soon as it is made, so where one is near both must fall alike.
        if state.stage is not Stage.LAST_HANDS or coin(other.seed, "passivity") == coin(state.seed, "passivity"):
            return other
