"""The eyes of a live table: the shipped vision worker or ideal ones, exchanged when another mat is laid."""

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
from referee_simulator.live.stage import LiveStage
from vision.mat import Mat
from vision.messages import Report, ToWorker, VisionSetup

LOOK_S = 0.1
"""How often ideal eyes look."""


class Eyes:
    """The shipped worker, whose messages are also listened to. A `VisionPort`. heard: every report."""

    def __init__(self, worker: VisionWorker, heard: Callable[[Report], None]) -> None:
        self._worker, self._heard = worker, heard

    def lend_camera(self) -> AbstractAsyncContextManager[None]:
        """See `device.daemon.vision_supervisor.VisionWorker.lend_camera`."""
        return self._worker.lend_camera()

    @property
    def state(self) -> CameraState:
        """Return the state of the camera."""
        return self._worker.state

    def send(self, message: ToWorker) -> None:
        self._worker.send(message)

    async def run(self, referee: Referee) -> None:
        await self._worker.run(_Overhearing(referee, self._heard))


class _Overhearing:
    """Passes everything on."""

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
    """Eyes that see the true table instead of a picture, so no error is vision's. A `VisionPort`. heard: every report.

    A camera that is off, black or dazzled is so for these eyes, too.
    """

    def __init__(self, stage: LiveStage, mats: Mapping[str, Mat], heard: Callable[[Report], None]) -> None:
        self._stage, self._eyes, self._heard = stage, Ideal(mats), heard

    def send(self, message: ToWorker) -> None:
        self._eyes.tell(message)

    async def run(self, watcher: Watcher) -> None:
        """Run until cancelled."""
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
    """How a mat is looked at: with ideal eyes, or by pictures in which the pieces of these sets are named."""

    ideal: bool
    sets: tuple[str, ...]


class Sights:
    """A `VisionPort` of one port after another.

    asked: hears what is to be looked at, before it is. sight: how a mat is looked at, by its name. port: makes the eyes
    for it. ready: returns when the pieces that lie on a mat are known to them.
    """

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
        """Eyes that are about to go are told no more: their successors hear everything anew."""
        if isinstance(message, VisionSetup):
            self._asked(message)
            if self._sight(message.mat) != self._sight(self._mat):
                self._other.set()
            self._mat = message.mat
        if not self._other.is_set():
            self._port.send(message)

    def lend_camera(self) -> AbstractAsyncContextManager[None]:
        """The owner looks; for eyes that look through the camera. No other mat is asked for meanwhile: the owner has it
        only while no set-up looks at the table."""
        assert isinstance(self._port, Eyes)
        return self._port.lend_camera()

    @property
    def state(self) -> CameraState:
        """Return the state of the camera; ideal eyes see well."""
        return self._port.state if isinstance(self._port, Eyes) else CameraState(health=Health.OK.value)

    async def run(self, referee: Referee) -> None:
        """Run until cancelled."""
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
