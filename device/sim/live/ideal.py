"""Ideal eyes in real time: they see the true table instead of a picture, so no error is vision's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from device.daemon.vision import Watcher
from device.sim.harness.onlookers import Ideal
from device.sim.live.stage import LiveStage
from vision.link import Report, ToWorker
from vision.mat import Mat

LOOK_S = 0.1


class IdealEyes:
    """A `VisionPort`. heard: every report.

    A camera that is off, black or dazzled is so for these eyes, too.
    """

    def __init__(self, stage: LiveStage, mats: Mapping[str, Mat], heard: Callable[[Report], None]) -> None:
        self._stage, self._eyes, self._heard = stage, Ideal(mats), heard

    def send(self, message: ToWorker) -> None:
        self._eyes.tell(message)

    async def run(self, watcher: Watcher) -> None:
        """Until cancelled."""
        watcher.worker_started()
        while True:
            now = watcher.clock.now()
            report: Report | None = None
            with self._stage.mending():
                report = self._eyes.watch(self._stage.table, now)
            if report is not None:
                self._heard(report)
                watcher.seen(report)
            await watcher.clock.sleep_until(now + LOOK_S)
