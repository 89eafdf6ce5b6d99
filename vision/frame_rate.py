"""Chooses frame rate and picture size by the machine's speed."""

from __future__ import annotations

import time
from collections.abc import Callable

import cv2
import msgspec

from vision.camera import Image
from vision.registration.lens import dictionary

MOVING_FPS, RESTING_FPS = 10.0, 5.0
SLOWEST_FPS = 4.0
"""Slower rates lose hands."""

LOAD = 0.8
"""Share of time available for processing pictures."""

NEWEST = 0.1
"""Weight of the newest picture in the moving average."""

NOTABLE = 0.25
"""Relative change needed for a new rate."""

LEAST_PICTURES = 20
LEAST_WIDTH = 640
SMALLER = 0.75

LOOK = 2.0
"""Cost of a picture with hands in marker detections (bench_vision)."""

MARKERS = "4x4_50"


class Plan(msgspec.Struct, frozen=True):
    """Frame rates in motion and at rest. overloaded: even the slowest rate is too fast."""

    moving_fps: float
    resting_fps: float
    overloaded: bool


def plan(moving_ms: float, resting_ms: float = 0.0) -> Plan:
    """Return the rates for these milliseconds per picture, from SLOWEST_FPS to MOVING_FPS and RESTING_FPS."""
    moving, resting = (LOAD * 1000 / max(cost, 1.0) for cost in (moving_ms, resting_ms))
    return Plan(
        min(MOVING_FPS, max(SLOWEST_FPS, moving)), min(RESTING_FPS, max(SLOWEST_FPS, resting)), moving < SLOWEST_FPS
    )


def smaller(size: tuple[int, int]) -> tuple[int, int] | None:
    """Return the next smaller size; None below LEAST_WIDTH."""
    width, height = (round(side * SMALLER / 2) * 2 for side in size)
    return (width, height) if width >= LEAST_WIDTH else None


def looking_ms(image: Image, clock: Callable[[], float] = time.perf_counter) -> float:
    """Estimate a picture's milliseconds from three marker detections."""
    detector = cv2.aruco.ArucoDetector(dictionary(MARKERS))
    times = []
    for _ in range(3):
        start = clock()
        detector.detectMarkers(image)
        times.append(clock() - start)
    return LOOK * min(times) * 1000


class Load:
    """Estimates pictures' cost from reports."""

    def __init__(self) -> None:
        self.plan = plan(0.0)
        self.moving_ms, self._resting_ms = 0.0, 0.0
        self._pictures = 0

    def note(self, frame_ms: float, moving: bool) -> bool:
        """Add a picture's cost; return True if the plan has changed."""
        if not moving:
            self._resting_ms += NEWEST * (frame_ms - self._resting_ms)
        else:
            self._pictures += 1
            self.moving_ms += max(NEWEST, 1 / self._pictures) * (frame_ms - self.moving_ms)
        fitting = plan(self.moving_ms, self._resting_ms)
        fitting = msgspec.structs.replace(fitting, overloaded=fitting.overloaded and self._pictures >= LEAST_PICTURES)
        changed = (
            abs(fitting.moving_fps - self.plan.moving_fps) > NOTABLE * self.plan.moving_fps
            or abs(fitting.resting_fps - self.plan.resting_fps) > NOTABLE * self.plan.resting_fps
            or fitting.overloaded is not self.plan.overloaded
        )
        if changed:
            self.plan = fitting
        return changed
