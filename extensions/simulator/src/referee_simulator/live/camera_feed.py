"""The simulated camera in real time: frames for the vision worker, and JPEG for pages."""

from __future__ import annotations

from pathlib import Path

import cv2

from device.clock import Clock
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.panel import Shot
from referee_simulator.render.camera import SIZE
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.virtual import encode_jpeg
from vision.camera import Frame
from vision.cameras.shared import FrameRing

BUSY_HZ, REST_HZ = 5.0, 1.0
LINGER_S = 2.0


class LiveLens:
    def __init__(self, stage: LiveStage, clock: Clock, ring: Path) -> None:
        self._stage, self._clock = stage, clock
        self._ring = FrameRing(ring, *SIZE)
        self._seen: Truth | None = None
        self._changed_at = clock.now()
        self._serial = 0

    async def run(self) -> None:
        due = self._clock.now()
        while True:
            self._take()
            due = max(due + 1 / self._rate(), self._clock.now() + 0.02)
            while (left := due - self._clock.now()) > 0:
                await self._clock.sleep_until(self._clock.now() + min(left, 1 / BUSY_HZ))
                if self._stirring():
                    due = min(due, self._clock.now())

    def close(self) -> None:
        self._ring.close()

    def _take(self) -> None:
        stage = self._stage
        if stage.wanted_scene is not None:
            stage.table.see(stage.wanted_scene)
            stage.wanted_scene, self._changed_at = None, self._clock.now()
        frame = stage.table.frame(self._clock.now(), self._ring.dimmed)
        if frame is not None:
            self._hand_on(frame)

    def _hand_on(self, frame: Frame) -> None:
        """Pass a frame to worker and pages. Serials keep growing when the table is replaced."""
        self._serial += 1
        self._ring.write(self._serial, frame.at, frame.image)
        half = cv2.resize(frame.image, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
        self._stage.newest = Shot(self._serial, encode_jpeg(half.astype(frame.image.dtype)))

    def _stirring(self) -> bool:
        truth = self._stage.truth()
        if truth != self._seen or not self._stage.table.resting(self._clock.now()):
            self._seen, self._changed_at = truth, self._clock.now()
        return self._stage.wanted_scene is not None or self._clock.now() - self._changed_at < LINGER_S

    def _rate(self) -> float:
        return BUSY_HZ if self._stirring() else REST_HZ
