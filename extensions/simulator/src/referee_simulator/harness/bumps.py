"""Bumps the camera, which then sees the mat from a slightly different pose."""

from __future__ import annotations

import random

import msgspec
import numpy as np

from referee_simulator.harness.timed_daemon import Fate
from referee_simulator.render.camera import SIZE, optics_of
from referee_simulator.table.scenes import Scene
from referee_simulator.table.virtual import VirtualTable
from vision.mat import Mat

ASIDE_DEG, TURNED_DEG, TILTED_DEG = 1.5, 1.5, 1.0
"""Most degrees from the first pose: aim, roll and tilt."""


class Bumps(Fate):
    def __init__(self, table: VirtualTable, every_s: float, seed: int) -> None:
        """every_s: mean simulated seconds between bumps."""
        self._table, self._first, self._every_s = table, table.scene, every_s
        self._dice = random.Random(f"{seed}/bumps")
        self._next = self._dice.expovariate(1 / every_s)

    def due(self) -> float:
        return self._next

    def run_due(self, now: float) -> None:
        while self._next <= now:
            self._table.see(bump_scene(self._first, self._table.mat, self._dice))
            self._next += self._dice.expovariate(1 / self._every_s)


def bump_scene(scene: Scene, mat: Mat, dice: random.Random) -> Scene:
    """Return the scene after a bump, with the mat still in view."""
    while True:
        aside = dice.uniform(-ASIDE_DEG, ASIDE_DEG), dice.uniform(-ASIDE_DEG, ASIDE_DEG)
        roll = scene.roll_deg + dice.uniform(-TURNED_DEG, TURNED_DEG)
        tilt = max(0.0, scene.tilt_deg + dice.uniform(-TILTED_DEG, TILTED_DEG))
        found = msgspec.structs.replace(scene, aside_deg=aside, roll_deg=roll, tilt_deg=tilt)
        if sees_all(found, mat):
            return found


def sees_all(scene: Scene, mat: Mat) -> bool:
    width, height = mat.size_mm
    corners = np.array([[0.0, 0.0, 0.0], [width, 0.0, 0.0], [width, height, 0.0], [0.0, height, 0.0]])
    seen = optics_of(mat, scene).project(corners)
    return bool(((seen >= 0) & (seen < SIZE)).all())
