"""Ideal eyes in real time: they see the true table instead of a picture, so no error is vision's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from device.daemon.vision import Watcher
from device.sim.harness.onlookers import Ideal, health_of
from device.sim.live.stage import LiveStage
from device.sim.table.truth import Truth
from engine.table import Health
from vision.link import Rebase, Report, ToWorker
from vision.mat import Mat

LOOK_S = 0.1


class IdealEyes:
    """A `VisionPort`. heard: every report.

    A camera that is off, black or dazzled is so for these eyes, too.
    """

    def __init__(self, stage: LiveStage, mats: Mapping[str, Mat], heard: Callable[[Report], None]) -> None:
        self._stage, self._eyes, self._heard = stage, Ideal(mats), heard
        self._seen: Truth | None = None

    def send(self, message: ToWorker) -> None:
        self._eyes.tell(message)

    async def run(self, watcher: Watcher) -> None:
        """Until cancelled."""
        watcher.worker_started()
        while True:
            now = watcher.clock.now()
            report: Report | None = None
            with self._stage.mending():
                report = self._look(now)
            if report is not None:
                self._heard(report)
                watcher.seen(report)
            await watcher.clock.sleep_until(now + LOOK_S)

    def _look(self, now: float) -> Report:
        table = self._stage.table
        health = health_of(table.faults)
        if health is not Health.OK:
            self._seen = None
            return Report(0, now, False, health)
        if table.resting(now) and (truth := table.settle(now)) != self._seen:
            self._seen = truth
            self._eyes.tell(Rebase())  # looked at anew, also if it was changed by no hand
        return self._eyes.look(table, now)
