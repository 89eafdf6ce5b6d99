"""The daemon's sight in simulated time: the vision worker or ideal eyes, and the frame rate."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from device.clock import Clock
from device.daemon import assembly
from device.daemon.referee import Referee, VisionPort
from device.daemon.vision_supervisor import VisionWorker
from device.session.check import GONE
from device.settings.table import TableSettings
from engine.errors import RefereeError
from engine.text import Text
from referee_simulator.harness.ideal_eyes import Ideal
from referee_simulator.render import effects
from referee_simulator.render.camera import SIZE
from referee_simulator.table.virtual import VirtualTable
from vision.cameras.shared import FrameRing
from vision.mat import Mat
from vision.messages import Report, ToWorker

DEAF_S = 60.0

BACK_S = 1.0
"""Simulated seconds until killed ideal eyes see again."""

FAST_S, SLOW_S = 0.2, 1.0
"""Seconds between frames in motion and at rest."""

QUIET_S = 0.7

PATIENCE_S = 8.0
"""Seconds after which players ignore reported motion."""


class WorkerDeaf(RefereeError, TimeoutError):
    """The vision worker does not answer a frame."""


class Sight(Protocol):
    table: VirtualTable
    rhythm: Rhythm

    def port(self) -> VisionPort:
        """Return the port for one run of the daemon."""
        ...

    async def look(self, referee: Referee) -> None:
        """Deliver the due frame, and wait until the daemon has processed it."""
        ...

    async def wait_for_rest(self) -> None: ...

    def kill(self) -> None: ...

    def close(self) -> None: ...


class Standing(Enum):
    """A worker's state."""

    STARTING = auto()
    LIVING = auto()
    GONE = auto()


class PictureSight:
    """The shipped worker with rendered pictures, answered one by one without passing time."""

    def __init__(self, table: VirtualTable, settings: TableSettings) -> None:
        """settings: of a table with a shared camera."""
        self.table, self.rhythm = table, Rhythm(table)
        self._settings, self._serial = settings, 0
        camera = assembly.camera_spec(settings)
        assert camera is not None
        self._ring = FrameRing(Path(camera.target), *SIZE)
        self._worker: VisionWorker | None = None
        self._watched: _Watched | None = None

    def port(self) -> VisionPort:
        self._worker = VisionWorker(assembly.worker_command(self._settings), self._settings.runtime_dir)
        self._watched = _Watched(self._worker, self._handle_report)
        return self._watched

    async def look(self, referee: Referee) -> None:
        """Deliver the due frame. Raises WorkerDeaf after DEAF_S."""
        assert self._worker is not None
        assert self._watched is not None
        frame = self.table.frame(referee.clock.now(), self._ring.dimmed)
        if frame is None or self._watched.standing is Standing.GONE:
            self.rhythm.note_miss(referee.clock.now())
            return
        image, region = frame.image, self._ring.region
        if region and self.table.scene.mat_only:
            image = effects.gray_outside(image, region)
        self._serial += 1
        self._ring.write(self._serial, frame.at, image, orders=self._worker.sent)
        try:
            await asyncio.wait_for(referee.took(self._serial), DEAF_S)
        except TimeoutError as error:
            raise WorkerDeaf(f"frame {self._serial} was not answered within {DEAF_S:g} s") from error

    async def wait_for_rest(self) -> None:
        watched = self._watched
        if watched is not None and (watched.begun or watched.killed):
            await asyncio.wait_for(watched.wait_for_rest(), DEAF_S)

    def kill(self) -> None:
        assert self._watched is not None
        if self._worker is not None and (pid := self._worker.pid) is not None:
            self._watched.killed = True
            os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        self._ring.close()

    def _handle_report(self, report: Report) -> None:
        if report.frame:
            self.rhythm.note_report(report)


class _Watched:
    """Forwards everything, and tracks the worker's state.

    begun: started before. killed: unnoticed so far."""

    def __init__(self, worker: VisionWorker, heard: Callable[[Report], None]) -> None:
        self._worker, self._heard = worker, heard
        self._referee: Referee | None = None
        self.standing, self.begun, self.killed = Standing.STARTING, False, False

    def send(self, message: ToWorker) -> None:
        self._worker.send(message)

    async def run(self, referee: Referee) -> None:
        self._referee = referee
        await self._worker.run(self)

    @property
    def clock(self) -> Clock:
        assert self._referee is not None
        return self._referee.clock

    def on_report(self, report: Report) -> None:
        assert self._referee is not None
        self._heard(report)
        self._referee.on_report(report)

    def silent(self, text: Text | None, *, starting: bool = False) -> None:
        assert self._referee is not None
        if text == GONE:
            self.standing, self.killed = Standing.GONE, False
        elif self.standing is Standing.GONE:
            self.standing = Standing.STARTING
        self._referee.silent(text, starting=starting)

    def worker_started(self) -> None:
        assert self._referee is not None
        self.standing, self.begun = Standing.LIVING, True
        self._referee.worker_started()

    async def wait_for_rest(self) -> None:
        while self.killed or self.standing is Standing.STARTING:
            await asyncio.sleep(0.001)


class IdealSight:
    """Ideal eyes instead of a worker, with camera faults."""

    def __init__(
        self, table: VirtualTable, mats: Mapping[str, Mat], eyes: Callable[[Mapping[str, Mat]], Ideal] = Ideal
    ) -> None:
        """eyes: factory for each life of a worker."""
        self.table, self.rhythm, self._mats, self._make = table, Rhythm(table), mats, eyes

    def _open(self) -> None:
        self._eyes, self._living, self._killed = self._make(self._mats), False, asyncio.Event()

    def port(self) -> VisionPort:
        self._open()
        return self

    def send(self, message: ToWorker) -> None:
        self._eyes.tell(message)

    async def run(self, referee: Referee) -> None:
        while True:
            self._living = True
            referee.worker_started()
            await self._killed.wait()
            self._open()
            referee.silent(GONE)
            await referee.clock.sleep_until(referee.clock.now() + BACK_S)

    async def look(self, referee: Referee) -> None:
        now = referee.clock.now()
        if not self._living:
            self.rhythm.note_miss(now)
            return
        report = self._eyes.watch(self.table, now)
        if report.frame:
            self.rhythm.note_report(report)
        else:
            self.rhythm.note_miss(now)
        referee.on_report(report)

    async def wait_for_rest(self) -> None:
        return

    def kill(self) -> None:
        self._killed.set()

    def close(self) -> None:
        return


class Rhythm:
    """The frame rate, which follows table and reports; counts frames, and those with hands."""

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._next = 0.0
        self._moving = False
        self._still_since = 0.0
        self.frames = self.frames_with_hands = 0

    def next_frame(self, now: float) -> float:
        """Return the next frame's time; motion speeds up the camera."""
        if self._next > now + FAST_S and not self._table.resting(now):
            self._next = now + FAST_S
        return max(now, self._next)

    def due(self, now: float) -> bool:
        return self.next_frame(now) <= now

    def note_report(self, report: Report) -> None:
        resting = self._table.resting(report.at)
        self.frames += 1
        self.frames_with_hands += not resting
        busy = report.moving or report.looking
        if busy or not resting:
            self._still_since = report.at
        self._moving = busy
        self._next = report.at + (FAST_S if busy or not resting else SLOW_S)

    def note_miss(self, now: float) -> None:
        self._next = now + SLOW_S

    def is_resting(self, now: float) -> bool:
        """Return True once hands are gone and vision is idle, or PATIENCE_S after the hands' work."""
        ends = self._table.busy_until()
        quiet = not self._moving and now - self._still_since >= QUIET_S and now - ends >= QUIET_S
        return self._table.resting(now) and (quiet or now - ends > PATIENCE_S)
