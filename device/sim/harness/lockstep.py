"""The whole daemon and its vision worker in simulated time, which waits until the worker has answered each frame.

Pins, displays and the camera are simulated. One seed gives the same journal to the byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from device.daemon import assembly
from device.daemon.vision import VisionWorker
from device.session.table import Table
from device.settings.table import TableSettings
from device.sim.harness.rhythm import Rhythm
from device.sim.harness.timed import Timed
from device.sim.live.eyes import Eyes
from device.sim.players.world import Handle, Wish
from device.sim.render.camera import SIZE
from device.sim.table.virtual import VirtualTable
from engine.errors import RefereeError
from vision.cameras.shared import FrameRing
from vision.link import Report

DEAF_S = 60.0
"""Real seconds after which a worker that does not answer a frame is given up."""


class WorkerDeaf(RefereeError, TimeoutError):
    """The vision worker does not answer a simulated frame."""


class Lockstep(Timed):
    """A `players.world.World`: a table with pieces, seen by the shipped worker. `run` may raise WorkerDeaf."""

    def __init__(
        self,
        table: VirtualTable,
        settings: TableSettings,
        *,
        seed: int,
        rules: Table | None = None,
        heard: Callable[[Report], None] = lambda _: None,
    ) -> None:
        """settings: of a table with a shared camera; its folders are used. heard: is told of every report.

        rules: `assembly.session_table(settings)`, if it is known already.
        """
        self.table, self.rhythm = table, Rhythm(table)
        self._heard, self._serial = heard, 0
        camera = assembly.camera_spec(settings)
        assert camera is not None
        self._ring = FrameRing(Path(camera.target), *SIZE)
        self._worker = VisionWorker(assembly.worker_command(settings), settings.runtime_dir)
        vision = Eyes(self._worker, self._reported)
        super().__init__(settings, seed=seed, rules=rules, vision=vision)

    async def _grant(self, wish: Wish) -> None:
        if not isinstance(wish, Handle):
            await super()._grant(wish)
            return
        self.table.act(wish.scripts)
        await self._run_to(self.table.busy_until())
        while not self.rhythm.rested(self.now):
            await self._run_to(self.now + 0.2)

    def _dues(self) -> tuple[float | None, ...]:
        return (*super()._dues(), self.rhythm.next_frame(self.now))

    async def _happen(self) -> None:
        if self.rhythm.due(self.now):
            await self._frame()
            await self._quiet()

    async def _frame(self) -> None:
        frame = self.table.frame(self.now)
        if frame is None:
            self.rhythm.missed(self.now)
            return
        self._serial += 1
        self._ring.write(self._serial, frame.at, frame.image, orders=self._worker.sent)
        try:
            await asyncio.wait_for(self.referee.took(self._serial), DEAF_S)
        except TimeoutError as error:
            raise WorkerDeaf(f"frame {self._serial} was not answered within {DEAF_S:g} s") from error

    def _reported(self, report: Report) -> None:
        if report.frame:
            self.rhythm.answered(report)
            self._heard(report)

    def _close(self) -> None:
        super()._close()
        self._ring.close()
