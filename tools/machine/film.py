"""A rendered table as the machine's camera shows it, and a film of a hand that places a stone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from device.daemon import assembly
from engine.catalogue import complete
from engine.entry import Start
from engine.game import OptionValue
from engine.match import begin
from engine.table import Seat
from referee_simulator.harness.plan import Plan, PlannedMatch, game_and_mat, matches_of, settings_of
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import set_out
from referee_simulator.table.virtual import VirtualTable
from vision.camera import Image

SEED, SCENE = 5, "easy"
STEPS, HELD, AFTER = 18, 2, 12
"""Pictures of the hand on its way, over the place where it lets go, and after that. Shown slowly, a hand that stands
still for more of them would be taken for a part of the table (vision.pipeline.STILL_HAND_S)."""

RATE = 10.0
BESIDE_MM = 48.0
"""From the stone that the line begins with."""

OPTIONS: dict[str, OptionValue] = {"orders": "seen", "first_stone": "scales"}


class Film:
    """Tellstones as it is set out, with its pieces enrolled in `folder`/enrolled."""

    def __init__(self, folder: Path) -> None:
        plan = Plan(scene=SCENE, seed=SEED, orders="seen", options=OPTIONS)
        planned = next(iter(matches_of(plan, folder)))
        settings = settings_of(planned.seats, folder)
        known, self.mat = game_and_mat(
            assembly.session_table(settings), planned.plan.game, planned.seats, planned.options
        )
        self.game, seats = known.game, tuple(sorted(settings.seats))
        self.match = begin(self.game, Start(0.0, plan.game, dict(complete(known.spec.options, OPTIONS)), seats, SEED))
        self._table = self._set_out(planned)
        self._now = 1.0

    def start(self) -> bytes:
        """The table at rest, YUYV."""
        return self._shot()

    @property
    def seat(self) -> Seat:
        """Whose hand lays stones: one player orders, the other carries it out (T12)."""
        state = self.match.state
        (active,) = self.game.actors(state)
        stone = next(choice.word for choice in self.game.choices(state, active, ("place",)))
        placing = self.game.read(state, active, ("place", stone, "right"))
        (hand,) = self.game.trace(state, active, placing).hands
        return hand

    def placing(self) -> Iterator[bytes]:
        """A hand takes a stone of the pool, carries it to the end of the line, lays it down and goes."""
        seat = self.seat
        zones = {zone.name: zone.box for zone in self._table.mat.zones}
        pool, line = zones["pool"], zones["line"]
        to = (line.x + line.width / 2 + BESIDE_MM, line.y + line.height / 2)
        bodies = self._table.truth(self._now).bodies
        picked = next(body for body in bodies if pool.y <= body.y <= pool.y + pool.height)
        self._now += 10.0
        self._table.take(seat, picked.id, self._now)
        for step in range(STEPS + HELD):
            share = min(1.0, step / STEPS)
            self._table.carry(seat, picked.x + (to[0] - picked.x) * share, picked.y + (to[1] - picked.y) * share)
            yield self._shot()
        self._table.drop(seat, *to, self._now)
        for _ in range(AFTER):
            yield self._shot()

    def _set_out(self, planned: PlannedMatch) -> VirtualTable:
        """The table as the game is set out."""
        scene = draw(load_scenes()[SCENE], planned.seed)
        lies = self.game.layout(self.match.state)
        truth = set_out(lies, self.mat, random.Random(f"{planned.seed}/laid"), care_in(scene))
        return VirtualTable(self.mat, truth, scene, self.mat.sides[str(planned.seats)])

    def _shot(self) -> bytes:
        frame = self._table.frame(self._now)
        assert frame is not None
        self._now += 1 / RATE
        return yuyv(frame.image)


def yuyv(image: Image) -> bytes:
    """A picture as the loopback camera takes it: 4:2:2, two bytes a pixel."""
    yuv = cv2.cvtColor(image, cv2.COLOR_BGR2YUV)
    packed = np.empty((*image.shape[:2], 2), np.uint8)
    packed[..., 0] = yuv[..., 0]
    packed[:, 0::2, 1] = yuv[:, 0::2, 1]
    packed[:, 1::2, 1] = yuv[:, 0::2, 2]
    return packed.tobytes()
