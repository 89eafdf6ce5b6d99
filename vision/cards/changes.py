"""Finds changes between sheets."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes, greatest, split

CHANGE = 0.16
"""Log brightness difference above noise."""

TINT, WIDE = 0.14, 7
"""Difference between channels over this many pixels: a change of hue."""

STEP = 0.25
"""Relative brightness step of print."""

RIM = 5
"""Twice a card's uncertain rim, in pixels."""

WAVES, COARSE = 4, 8
"""Most half periods of light across a sheet (lamps flicker twice a picture); reduction for its fit."""

OUTLIER, RIDGE, ROUNDS = 2.5, 1e-3, 4
"""Median deviations within which places show light; pull to even light; repetitions."""

SURE = 5.93
"""Median deviations of noise that a change exceeds: four normal standard deviations."""

OFFSET = 8.0
LOGARITHM = np.log(np.arange(256, dtype=np.float32) + OFFSET)
"""Log brightness by gray level, offset against noise."""


def changes(sheet: Image, before: Image, lit: npt.NDArray[np.bool_] | None = None) -> Image:
    """Return changes beyond light and noise (0/1).

    lit: pixels that measure one even change of light. By default the change may vary smoothly, as below a flickering
    lamp, and noise is measured: equal at all gray levels, it hides most in dark channels.
    """
    ratio = np.asarray(cv2.subtract(cv2.LUT(sheet, LOGARITHM), cv2.LUT(before, LOGARITHM)), np.float32)
    ratio -= light_field(ratio) if lit is None else np.median(ratio[lit], axis=0).astype(np.float32)
    near = np.asarray(cv2.blur(ratio, (3, 3)), np.float32)
    wide = np.asarray(cv2.blur(near, (WIDE, WIDE)), np.float32)
    low, high = extremes(split(wide))
    if lit is not None:
        return np.asarray((extremes(split(np.abs(near)))[1] > CHANGE) | (high - low > TINT), np.uint8)
    level = cv2.blur(cv2.min(sheet, before), (3, 3)).astype(np.float32) + OFFSET
    beyond = np.abs(near) - np.maximum(CHANGE, SURE * _noise(near * level) / level)
    hue = SURE * np.sqrt(2.0) * _noise(wide * level) / extremes(split(level))[0]
    return np.asarray((extremes(split(beyond))[1] > 0.0) | (high - low > np.maximum(TINT, hue)), np.uint8)


def _noise(difference: npt.NDArray[np.float32]) -> float:
    return float(np.median(np.abs(difference[::6, ::6])))


def light_field(ratio: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the smooth part of a log brightness difference (rows x columns x 3) that most of a picture shares.

    Cosines of up to `WAVES` half periods are fitted by iteratively reweighted least squares (Holland and Welsch, 1977),
    which ignore cards that came.
    """
    height, width = ratio.shape[:2]
    small = cv2.resize(ratio, (width // COARSE, height // COARSE), interpolation=cv2.INTER_AREA)
    down, across = (_cosines(side) for side in small.shape[:2])
    basis, seen = np.kron(down, across), small.reshape(-1, 3).astype(np.float64)
    ridge = RIDGE * len(basis) * np.diag([0.0, *[1.0] * (basis.shape[1] - 1)])
    fitted = np.zeros((basis.shape[1], 3))
    fitted[0] = np.median(seen, axis=0)
    for _ in range(ROUNDS):
        away = np.abs(seen - basis @ fitted).max(axis=1)
        inner = basis[near := away <= OUTLIER * np.median(away)]
        fitted = np.linalg.solve(inner.T @ inner + ridge, inner.T @ seen[near])
    field = _cosines(height) @ fitted.reshape(WAVES + 1, -1) @ np.kron(_cosines(width).T, np.eye(3))
    return field.reshape(height, width, 3).astype(np.float32)


def _cosines(length: int) -> npt.NDArray[np.float64]:
    """Return cosines of 0 to `WAVES` half periods (length x waves)."""
    at = (np.arange(length) + 0.5) / length
    return np.cos(np.pi * np.outer(at, np.arange(WAVES + 1)))


def brightness_steps(sheet: Image) -> Image:
    """Return steps in brightness, such as print (0/1)."""
    around = np.ones((3, 3), np.uint8)
    steps = greatest(np.asarray(cv2.subtract(cv2.dilate(sheet, around), cv2.erode(sheet, around)), np.uint8))
    return np.asarray(steps > STEP * greatest(np.asarray(cv2.blur(sheet, (9, 9)), np.uint8)), np.uint8)


def in_sight(masks: Sequence[Image]) -> list[Image]:
    """Return each mask's part that no higher one hides; both lists are lowest first."""
    seen: list[Image] = []
    over: Image | None = None
    for mask in reversed(masks):
        seen.append(mask if over is None else np.asarray(mask & (over == 0), np.uint8))
        over = mask if over is None else np.asarray(over | mask, np.uint8)
    return seen[::-1]


def without_rim(mask: Image) -> Image:
    """Erode a mask (0/1), unless that empties it."""
    inner = np.asarray(cv2.erode(mask, np.ones((RIM, RIM), np.uint8)), np.uint8)
    return inner if inner.any() else mask


def share(of: Image, within: Image) -> float:
    """Return the share of mask `of` within another; 0 if empty."""
    return int(np.count_nonzero(of & within)) / max(1, int(np.count_nonzero(of)))
