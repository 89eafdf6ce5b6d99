"""A rendered table as the machine's camera shows it, and a film of a hand that places a stone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from device.daemon import assembly
from device.sim.harness.plan import Plan, PlannedMatch, laid, matches_of, settings_of
from device.sim.table.places import care_in
from device.sim.table.scenes import draw, published
from device.sim.table.setting import set_out
from device.sim.table.virtual import VirtualTable
from engine.game import OptionValue
from engine.options import complete
from vision.camera import Image

SEED, SCENE = 5, "easy"
STEPS, AFTER = 18, 12
"""Pictures of the hand on its way, and after it is gone."""

RATE = 10.0
BESIDE_MM = 48.0
"""From the stone that the line begins with."""

OPTIONS: dict[str, OptionValue] = {"orders": "seen", "first_stone": "scales"}


class Film:
    """Tellstones as it is set out, with its pieces enrolled in `folder`/enrolled."""

    def __init__(self, folder: Path) -> None:
        plan = Plan(scene=SCENE, seed=SEED, orders="seen", options=OPTIONS)
        planned = next(iter(matches_of(plan, folder)))
        self._table = _laid(planned, folder)
        self._now = 1.0

    def start(self) -> bytes:
        """The table at rest, YUYV."""
        return self._shot()

    def placing(self, seat: str = "a") -> Iterator[bytes]:
        """A hand takes a stone of the pool, carries it to the end of the line, lays it down and goes."""
        zones = {zone.name: zone.box for zone in self._table.mat.zones}
        pool, line = zones["pool"], zones["line"]
        to = (line.x + line.width / 2 + BESIDE_MM, line.y + line.height / 2)
        bodies = self._table.truth(self._now).bodies
        picked = next(body for body in bodies if pool.y <= body.y <= pool.y + pool.height)
        self._now += 10.0
        self._table.take(seat, picked.id, self._now)
        for step in range(STEPS + 4):
            share = min(1.0, step / STEPS)
            self._table.carry(seat, picked.x + (to[0] - picked.x) * share, picked.y + (to[1] - picked.y) * share)
            yield self._shot()
        self._table.drop(seat, *to, self._now)
        for _ in range(AFTER):
            yield self._shot()

    def _shot(self) -> bytes:
        frame = self._table.frame(self._now)
        assert frame is not None
        self._now += 1 / RATE
        return yuyv(frame.image)


def _laid(planned: PlannedMatch, folder: Path) -> VirtualTable:
    """The table as the game is set out."""
    settings = settings_of(planned.seats, folder)
    known, mat = laid(assembly.session_table(settings), planned.plan.game, planned.seats, planned.options)
    scene, seats = draw(published()[SCENE], planned.seed), tuple(sorted(settings.seats))
    state = known.game.setup(complete(known.spec.options, planned.options), seats, planned.seed)
    truth = set_out(known.game.layout(state), mat, random.Random(f"{planned.seed}/laid"), care_in(scene))
    return VirtualTable(mat, truth, scene, mat.sides[str(len(seats))])


def yuyv(image: Image) -> bytes:
    """A picture as the loopback camera takes it: 4:2:2, two bytes a pixel."""
    yuv = cv2.cvtColor(image, cv2.COLOR_BGR2YUV)
    packed = np.empty((*image.shape[:2], 2), np.uint8)
    packed[..., 0] = yuv[..., 0]
    packed[:, 0::2, 1] = yuv[:, 0::2, 1]
    packed[:, 1::2, 1] = yuv[:, 0::2, 2]
    return packed.tobytes()
