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
"""Width in pixels of a card's uncertain rim, doubled."""

LOGARITHM = np.log(np.arange(256, dtype=np.float32) + 8.0)
"""Log brightness by gray level, offset against noise."""


def changes(sheet: Image, before: Image, lit: npt.NDArray[np.bool_] | None = None) -> Image:
    """Return changes beyond light (0/1). lit: where light is measured."""
    ratio = cv2.subtract(cv2.LUT(sheet, LOGARITHM), cv2.LUT(before, LOGARITHM))
    light = np.median(ratio[::6, ::6].reshape(-1, 3) if lit is None else ratio[lit], axis=0).astype(np.float32)
    planes = split(np.asarray(cv2.blur(ratio, (3, 3)), np.float32))
    low, high = extremes([plane - level for plane, level in zip(planes, light, strict=True)])
    least, most = extremes([cv2.blur(plane - level, (WIDE, WIDE)) for plane, level in zip(planes, light, strict=True)])
    return np.asarray((high > CHANGE) | (low < -CHANGE) | (most - least > TINT), np.uint8)


def printed(sheet: Image) -> Image:
    """Return brightness steps (0/1)."""
    around = np.ones((3, 3), np.uint8)
    steps = greatest(np.asarray(cv2.subtract(cv2.dilate(sheet, around), cv2.erode(sheet, around)), np.uint8))
    return np.asarray(steps > STEP * greatest(np.asarray(cv2.blur(sheet, (9, 9)), np.uint8)), np.uint8)


def in_sight(masks: Sequence[Image]) -> list[Image]:
    """Return each mask without those above; lowest first."""
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
    """Return the share of a mask within another."""
    return int(np.count_nonzero(of & within)) / max(1, int(np.count_nonzero(of)))
