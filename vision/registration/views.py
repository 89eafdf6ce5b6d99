"""Collects useful pictures of a calibration board that somebody moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from vision.camera import Camera, Image, NoFrameYet
from vision.registration.lens import CalibrationBoard, Points, corners_of

STILL = 0.004
"""Largest motion between pictures in picture widths, against blur."""

NEW = 0.03
"""Least distance from earlier pictures in widths."""

WAIT_S = 2.0

Corners = Mapping[int, Points]
"""Board corners in pixels by number."""


def views(camera: Camera, board: CalibrationBoard) -> Iterator[Image]:
    """Yield pictures with the board still and at new places, until a recording ends. Raises CameraLost."""
    kept: list[Corners] = []
    before: Corners = {}
    while True:
        try:
            frame = camera.read(WAIT_S)
        except NoFrameYet:
            continue
        if frame is None:
            return
        places, numbers = corners_of(frame.image, board)
        now = dict(zip(numbers, places, strict=True))
        width = frame.image.shape[1]
        if now and apart(before, now) <= STILL * width and all(apart(view, now) >= NEW * width for view in kept):
            kept.append(now)
            yield frame.image
        before = now


def apart(one: Corners, other: Corners) -> float:
    """Return the mean distance of common corners in pixels; infinite without any."""
    both = sorted(set(one) & set(other))
    if not both:
        return float("inf")
    return float(np.mean([np.linalg.norm(one[number] - other[number]) for number in both]))
