"""The vision worker of a live table: the shipped one, whose messages are also listened to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from device.clock import Clock
from device.daemon.referee import Referee
from device.daemon.vision import CameraState, VisionWorker, Watcher
from engine.text import Text
from vision.link import Report, ToWorker


class Eyes:
    """A `VisionPort`. heard: every report."""

    def __init__(self, worker: VisionWorker, heard: Callable[[Report], None]) -> None:
        self._worker, self._heard = worker, heard

    def lent(self) -> AbstractAsyncContextManager[None]:
        """See `device.daemon.vision.VisionWorker.lent`."""
        return self._worker.lent()

    @property
    def state(self) -> CameraState:
        """How the camera is."""
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

    def seen(self, report: Report) -> None:
        self._heard(report)
        self._watcher.seen(report)

    def silent(self, text: Text | None) -> None:
        self._watcher.silent(text)

    def worker_started(self) -> None:
        self._watcher.worker_started()
