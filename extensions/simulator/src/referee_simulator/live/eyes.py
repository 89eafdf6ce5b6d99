"""A live table's eyes: shipped vision or ideal ones, replaced when the mat changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager

import msgspec

from device.clock import Clock
from device.daemon.referee import Referee, VisionPort
from device.daemon.vision_supervisor import CameraState, VisionWorker, Watcher
from device.session.check import STARTING
from engine.table import Health
from engine.text import Text
from referee_simulator.harness.ideal_eyes import Ideal
from referee_simulator.live.live_stage import LiveStage
from vision.mat import Mat
from vision.messages import Report, ToWorker, VisionSetup

LOOK_S = 0.1


class Eyes:
    def __init__(self, worker: VisionWorker, heard: Callable[[Report], None]) -> None:
        self._worker, self._heard = worker, heard

    def lend_camera(self) -> AbstractAsyncContextManager[None]:
        return self._worker.lend_camera()

    @property
    def state(self) -> CameraState:
        return self._worker.state

    def send(self, message: ToWorker) -> None:
        self._worker.send(message)

    async def run(self, referee: Referee) -> None:
        await self._worker.run(_Overhearing(referee, self._heard))


class _Overhearing:
    def __init__(self, watcher: Watcher, heard: Callable[[Report], None]) -> None:
        self._watcher, self._heard = watcher, heard

    @property
    def clock(self) -> Clock:
        return self._watcher.clock

    def on_report(self, report: Report) -> None:
        self._heard(report)
        self._watcher.on_report(report)

    def silent(self, text: Text | None, *, starting: bool = False) -> None:
        self._watcher.silent(text, starting=starting)

    def worker_started(self) -> None:
        self._watcher.worker_started()


class IdealEyes:
    """A `VisionPort` that sees the true table, with camera faults. heard: receives every report."""

    def __init__(self, stage: LiveStage, mats: Mapping[str, Mat], heard: Callable[[Report], None]) -> None:
        self._stage, self._eyes, self._heard = stage, Ideal(mats), heard

    def send(self, message: ToWorker) -> None:
        self._eyes.tell(message)

    async def run(self, watcher: Watcher) -> None:
        watcher.worker_started()
        while True:
            now = watcher.clock.now()
            report: Report | None = None
            with self._stage.mending():
                report = self._eyes.watch(self._stage.table, now)
            if report is not None:
                self._heard(report)
                watcher.on_report(report)
            await watcher.clock.sleep_until(now + LOOK_S)


class Sight(msgspec.Struct, frozen=True):
    """A way to look at a mat: ideal, or pictures with pieces of these sets."""

    ideal: bool
    sets: tuple[str, ...]


class Sights:
    """A `VisionPort` that switches between ports.

    asked: hears set-ups first
    sight: way to look at a mat, by name
    port: makes eyes
    ready: waits until a mat's pieces are enrolled"""

    def __init__(
        self,
        mat: str,
        *,
        asked: Callable[[VisionSetup], None],
        sight: Callable[[str], Sight],
        port: Callable[[Sight], VisionPort],
        ready: Callable[[str], Coroutine[None, None, None]],
    ) -> None:
        self._mat, self._asked, self._sight, self._new, self._ready = mat, asked, sight, port, ready
        self._port = port(sight(mat))
        self._other = asyncio.Event()

    def send(self, message: ToWorker) -> None:
        """Pass a message to the present eyes, unless others are to replace them."""
        if isinstance(message, VisionSetup):
            self._asked(message)
            if self._sight(message.mat) != self._sight(self._mat):
                self._other.set()
            self._mat = message.mat
        if not self._other.is_set():
            self._port.send(message)

    def lend_camera(self) -> AbstractAsyncContextManager[None]:
        """Lend the camera to the owner. Meanwhile no set-up changes the mat."""
        assert isinstance(self._port, Eyes)
        return self._port.lend_camera()

    @property
    def state(self) -> CameraState:
        """State of the camera; ideal eyes see well."""
        return self._port.state if isinstance(self._port, Eyes) else CameraState(health=Health.OK.value)

    async def run(self, referee: Referee) -> None:
        while True:
            running = asyncio.ensure_future(self._port.run(referee))
            other = asyncio.ensure_future(self._other.wait())
            try:
                await asyncio.wait((running, other), return_when=asyncio.FIRST_COMPLETED)
            finally:
                ended = running.done()
                for task in (running, other):
                    task.cancel()
                results = await asyncio.gather(running, other, return_exceptions=True)
            if ended and isinstance(results[0], BaseException):
                raise results[0]
            referee.silent(STARTING, starting=True)
            await self._ready(self._mat)
            self._port = self._new(self._sight(self._mat))
            self._other.clear()
