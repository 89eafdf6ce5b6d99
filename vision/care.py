"""Care for the picture: colours corrected by the mat's white and gray patches; dark, glaring and frozen pictures."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Health
from vision.camera import Frame, Image
from vision.mat import Box, Mat
from vision.registration.rectify import Projection

WHITE, GRAY = 235.0, 118.0
"""What the patches are corrected to, in 8-bit sRGB."""

DARK = 14.0
SATURATED = 252
GLARE_SHARE = 0.35
FROZEN_S = 3.0


class Correction(msgspec.Struct, frozen=True):
    """Per channel (B, G, R): corrected = gain * value + offset."""

    gain: tuple[float, float, float] = (1.0, 1.0, 1.0)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def apply(self, image: Image) -> Image:
        """A corrected copy of a BGR picture."""
        values = np.arange(256, dtype=np.float32)[:, None]
        table = np.clip(values * np.array(self.gain) + np.array(self.offset), 0, 255).astype(np.uint8)
        return np.asarray(cv2.LUT(image, table.reshape(1, 256, 3)), np.uint8)


def measure(image: Image, projection: Projection, mat: Mat) -> Correction | None:
    """The correction that this frame's patches ask for; None if a patch is covered, clipped or out of the picture."""
    white, gray = _patch(image, projection, mat.white), _patch(image, projection, mat.gray)
    if white is None or gray is None or (white > SATURATED).any():
        return None
    span = white - gray
    if (span < 12).any():
        return None
    gain = (WHITE - GRAY) / span
    offset = WHITE - gain * white
    if (gain > 8).any():
        return None
    return Correction(
        (float(gain[0]), float(gain[1]), float(gain[2])), (float(offset[0]), float(offset[1]), float(offset[2]))
    )


def _patch(image: Image, projection: Projection, box: Box) -> npt.NDArray[np.float64] | None:
    """Mean colour of the inner half of a patch, if it is even."""
    inset = np.array([[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]])
    corners = projection.pixels(np.array([box.x, box.y]) + inset * np.array([box.width, box.height]))
    low = np.floor(corners.min(axis=0)).astype(int)
    high = np.ceil(corners.max(axis=0)).astype(int)
    if (low < 0).any() or high[0] > image.shape[1] or high[1] > image.shape[0] or (high - low < 3).any():
        return None
    pixels = image[low[1] : high[1], low[0] : high[0]].reshape(-1, 3).astype(np.float64)
    mean = pixels.mean(axis=0)
    even = (pixels.std(axis=0) < np.maximum(10.0, 0.12 * mean)).all()
    return np.asarray(mean, np.float64) if even else None


class Watch:
    """Judges frames by their small gray picture: dark, glaring, frozen."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._fresh_at = 0.0

    def judge(self, frame: Frame) -> Health:
        small = frame.small
        if self._last is None or self._last.shape != small.shape or not np.array_equal(self._last, small):
            self._last, self._fresh_at = small, frame.at
        if frame.at - self._fresh_at >= FROZEN_S:
            return Health.NO_FRAMES
        sample = small[::2, ::2]
        if float(np.percentile(sample, 98)) < 2 * DARK or float(sample.mean()) < DARK:
            return Health.DARK
        if float(np.count_nonzero(sample >= SATURATED)) > GLARE_SHARE * sample.size:
            return Health.GLARE
        return Health.OK
