"""Reads a phone's pictures from the daemon's ring."""

from __future__ import annotations

import time
from collections.abc import Sequence

from vision.camera import CameraLost, Frame, NoFrameYet
from vision.cameras.ring import PACE, PARTS, RELOCKS
from vision.cameras.shared import RingReader
from vision.pictures import decode

LATE_S = 2.0
"""Seconds without pictures until the phone counts as gone; Wi-Fi may pause 1 s."""


class PhoneCamera:
    """A phone as a `Camera`. Its page locks exposure and focus."""

    def __init__(self, path: str) -> None:
        self._ring = RingReader(path)
        self._relocks = 0
        self._shape: tuple[int, ...] | None = None
        self._newest: float | None = None

    def open(self) -> None:
        self._ring.open("does the referee run?")
        self._relocks, self._shape, self._newest = 0, None, None

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next picture, skipping broken and late ones. Raises NoFrameYet if none comes in time;
        CameraLost if none ever came, after LATE_S without one, at the ring's end, or if the size changes."""
        until = time.monotonic() + timeout_s
        while (slot := self._ring.wait(until - time.monotonic())) is not None:
            image, _ = decode(slot.data)
            if image is None or time.monotonic() - slot.at > LATE_S:
                continue
            if self._shape not in (None, image.shape):
                raise CameraLost("the phone sends pictures of another size: it was turned")
            self._shape, self._newest = image.shape, time.monotonic()
            return Frame.of(slot.serial, slot.at, image)
        if self._ring.over or self._newest is None or time.monotonic() - self._newest >= LATE_S:
            raise CameraLost("the phone sends no pictures: is its page open?")
        raise NoFrameYet(f"no picture of the phone within {timeout_s:g} s")

    def relock(self) -> None:
        self._relocks += 1
        self._ring.wish(RELOCKS, self._relocks)

    def crop(self, corners: Sequence[float]) -> None:
        self._ring.crop(corners)

    def pace(self, frames_per_second: float) -> None:
        self._ring.wish(PACE, round(frames_per_second * PARTS))

    def close(self) -> None:
        self._ring.close()
