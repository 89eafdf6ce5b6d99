"""Pictures of the calibration board that tell something new of the lens, while somebody moves it before the camera."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from vision.camera import Camera, Image, NoFrameYet
from vision.registration.lens import CalibrationBoard, Points, corners_of

STILL = 0.004
"""Share of the picture's width by which the board may move from one picture to the next: more would be blurred."""

NEW = 0.03
"""Share of the width by which its corners must lie elsewhere than in every picture that was kept."""

WAIT_S = 2.0

Corners = Mapping[int, Points]
"""Corners of the board in a picture, in pixels, by their numbers."""


def views(camera: Camera, board: CalibrationBoard) -> Iterator[Image]:
    """Pictures of an open camera on which the board lies still, and otherwise than before, until a recording ends.

    Raises CameraLost.
    """
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
    """Return the mean distance of the corners that both show, in pixels; infinite if they have none in common."""
    both = sorted(set(one) & set(other))
    if not both:
        return float("inf")
    return float(np.mean([np.linalg.norm(one[number] - other[number]) for number in both]))
