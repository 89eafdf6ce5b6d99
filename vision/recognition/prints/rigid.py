"""Aligns part of a print by rotation and translation.

OpenCV's `findTransformECC` stops early with a mask and keeps a worse step, dependent on the processor's rounding.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

STEPS, HALVES = 20, 4
"""Most steps, and halvings of a step."""

FARTHEST, TURN = 3.0, 0.1
"""Largest step in pixels and radians."""

ENOUGH = 0.02
"""Step in pixels that ends the search; warps round to 1/32."""

FEWEST = 16.0
"""Least visible pixels."""

FLAGS = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP


class Pose(NamedTuple):
    """Turn in radians, and the visible part's middle in pixels."""

    turn: float
    x: float
    y: float

    def warp(self, middle: tuple[float, float]) -> Doubles:
        """Return the transform (2 x 3) from print to crop. middle: of the visible part."""
        cos, sin = np.cos(self.turn), np.sin(self.turn)
        turned = np.array([[cos, -sin], [sin, cos]])
        return np.column_stack([turned, np.array([self.x, self.y]) - turned @ np.array(middle)])

    def after_step(self, step: Doubles) -> Pose:
        """Return the pose after a step (radians, pixels, pixels)."""
        return Pose(self.turn + float(step[0]), self.x + float(step[1]), self.y + float(step[2]))


class Comparison(NamedTuple):
    """A pose's correlation, and the step towards a higher one."""

    agrees: float
    step: Doubles


class _Part:
    """A print's visible rectangle, and the crop with gradients. first: column and row where `inner` begins."""

    def __init__(self, inner: Floats, first: tuple[int, int], other: Floats, sight: Image) -> None:
        self._print = inner.ravel().astype(np.float64)
        height, width = inner.shape
        self.size = width, height
        self.middle = ((width - 1) / 2, (height - 1) / 2)
        self.first = first
        down, across = np.mgrid[0:height, 0:width].astype(np.float64)
        self._across, self._down = across.ravel() - self.middle[0], down.ravel() - self.middle[1]
        slopes = (cv2.Sobel(other, cv2.CV_32F, *axis, ksize=3, scale=1 / 8) for axis in ((1, 0), (0, 1)))
        self._crop = np.dstack([other, *slopes, sight.astype(np.float32)])

    @classmethod
    def of(cls, inner: Floats, other: Floats, start: Floats, sight: Image, around: int) -> Self | None:
        """Return the part possibly visible within `around` pixels of `start`, or None."""
        height, width = inner.shape
        seen = cv2.warpAffine(sight, start, (width, height), flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
        x, y, wide, tall = cv2.boundingRect(np.asarray(seen, np.uint8))
        if not wide:
            return None
        left, top = max(0, x - around), max(0, y - around)
        right, bottom = min(width, x + wide + around), min(height, y + tall + around)
        return cls(np.ascontiguousarray(inner[top:bottom, left:right]), (left, top), other, sight)

    def compare(self, pose: Pose) -> Comparison | None:
        """Return the agreement at a pose; None if too little is visible or all of it is even.

        The step solves print = a * (crop + slopes * step) + b by least squares.
        """
        shown = cv2.warpAffine(self._crop, pose.warp(self.middle), self.size, flags=FLAGS)
        crop, right, down, weight = shown.reshape(-1, 4).T.astype(np.float64)
        total = weight.sum()
        if total < FEWEST:
            return None
        cos, sin = np.cos(pose.turn), np.sin(pose.turn)
        x, y = self._across, self._down
        turning = down * (cos * x - sin * y) - right * (sin * x + cos * y)
        columns = np.column_stack([self._print, crop, turning, right, down])
        columns -= (weight @ columns) / total
        products = columns.T @ (columns * weight[:, None])
        of_both = float(np.sqrt(products[0, 0] * products[1, 1]))
        if of_both == 0.0:
            return None
        agrees = float(products[0, 1]) / of_both
        gain, *step = np.linalg.lstsq(products[1:, 1:], products[1:, 0], rcond=1e-9)[0]
        return Comparison(agrees, np.array(step) / gain if gain > 0 else np.zeros(3))


def laid_rigidly(inner: Floats, other: Floats, start: Floats, sight: Image, around: int = 4) -> Floats:
    """Return the rigid transform (2 x 3) from print to crop; `start` if too little is visible.

    inner, other: print and crop, H x W.
    sight: visible mask (0/1) of the crop.
    around: extra print pixels that may become visible.
    Gauss-Newton with halved steps (Baker and Matthews, 2004); correlation never falls.
    """
    part = _Part.of(inner, other, start, sight, around)
    if part is None:
        return start
    middle = np.asarray(part.middle) + part.first
    x, y = start[:, :2].astype(np.float64) @ middle + start[:, 2]
    pose = Pose(float(np.arctan2(start[1, 0], start[0, 0])), float(x), float(y))
    here = part.compare(pose)
    for _ in range(STEPS):
        better = _better(part, pose, here)
        if better is None:
            break
        before, (pose, here) = pose, better
        if _apart(before, pose, part.size) < ENOUGH:
            break
    there = pose.warp((float(middle[0]), float(middle[1])))
    return np.asarray(there, np.float32) if here is not None else start


def _better(part: _Part, pose: Pose, here: Comparison | None) -> tuple[Pose, Comparison] | None:
    if here is None:
        return None
    step = here.step.copy()
    step[0] = np.clip(step[0], -TURN, TURN)
    step[1:] *= min(1.0, FARTHEST / max(FARTHEST, float(np.hypot(*step[1:]))))
    for _ in range(HALVES + 1):
        there = pose.after_step(step)
        found = part.compare(there)
        if found is not None and found.agrees > here.agrees:
            return there, found
        step /= 2.0
    return None


def _apart(one: Pose, other: Pose, size: tuple[int, int]) -> float:
    return float(np.hypot(other.x - one.x, other.y - one.y) + abs(other.turn - one.turn) * np.hypot(*size) / 2)
