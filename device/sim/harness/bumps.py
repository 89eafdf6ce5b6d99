"""Somebody bumps the camera now and then: it sees the same mat from a little elsewhere, whatever hands do meanwhile."""

from __future__ import annotations

import random

import msgspec

from device.sim.harness.timed import Fate
from device.sim.table.scenes import Scene
from device.sim.table.virtual import VirtualTable

ASIDE_DEG, TURNED_DEG, TILTED_DEG = 1.5, 1.5, 1.0
"""At most so far from where it was at first a bump leaves the camera: looking aside, turned in its plane, and leaning
otherwise, by which it stands elsewhere.
"""


class Bumps(Fate):
    """Bumps at random times."""

    def __init__(self, table: VirtualTable, every_s: float, seed: int) -> None:
        """every_s: simulated seconds from one to the next, on average."""
        self._table, self._first, self._every_s = table, table.scene, every_s
        self._dice = random.Random(f"{seed}/bumps")
        self._next = self._dice.expovariate(1 / every_s)

    def due(self) -> float:
        return self._next

    def happen(self, now: float) -> None:
        while self._next <= now:
            self._table.see(bumped(self._first, self._dice))
            self._next += self._dice.expovariate(1 / self._every_s)


def bumped(scene: Scene, dice: random.Random) -> Scene:
    """The scene of a camera that somebody has bumped."""
    aside = dice.uniform(-ASIDE_DEG, ASIDE_DEG), dice.uniform(-ASIDE_DEG, ASIDE_DEG)
    roll = scene.roll_deg + dice.uniform(-TURNED_DEG, TURNED_DEG)
    tilt = max(0.0, scene.tilt_deg + dice.uniform(-TILTED_DEG, TILTED_DEG))
    return msgspec.structs.replace(scene, aside_deg=aside, roll_deg=roll, tilt_deg=tilt)
