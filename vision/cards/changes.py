"""Finds what on a sheet looks different from the previous rest."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes, greatest, split

CHANGE = 0.16
"""A difference of the logarithm of brightness that is more than noise."""

TINT, WIDE = 0.14, 7
"""A difference between what the channels changed by, over so many pixels: paper that came is not always lighter or
darker than what it covers, as in a lamp's reflection, but of another hue.
"""

STEP = 0.25
"""Steps of brightness that are print or an edge of it."""

RIM = 5
"""Pixels: half so wide is the rim of a card where something else may show than it, or than what lies below it."""

LOGARITHM = np.log(np.arange(256, dtype=np.float32) + 8.0)
"""Of each gray level's brightness, as if there were a little more of it: noise in the dark is no difference."""


def changes(sheet: Image, before: Image, lit: npt.NDArray[np.bool_] | None = None) -> Image:
    """Mask (0/1) of what looks otherwise than before, by more than light. lit: where that is told, if not all over."""
    ratio = cv2.subtract(cv2.LUT(sheet, LOGARITHM), cv2.LUT(before, LOGARITHM))
    light = np.median(ratio[::6, ::6].reshape(-1, 3) if lit is None else ratio[lit], axis=0).astype(np.float32)
    planes = split(np.asarray(cv2.blur(ratio, (3, 3)), np.float32))
    low, high = extremes([plane - level for plane, level in zip(planes, light, strict=True)])
    least, most = extremes([cv2.blur(plane - level, (WIDE, WIDE)) for plane, level in zip(planes, light, strict=True)])
    return np.asarray((high > CHANGE) | (low < -CHANGE) | (most - least > TINT), np.uint8)


def printed(sheet: Image) -> Image:
    """Mask (0/1) of where brightness changes within three pixels."""
    around = np.ones((3, 3), np.uint8)
    steps = greatest(np.asarray(cv2.subtract(cv2.dilate(sheet, around), cv2.erode(sheet, around)), np.uint8))
    return np.asarray(steps > STEP * greatest(np.asarray(cv2.blur(sheet, (9, 9)), np.uint8)), np.uint8)


def in_sight(masks: Sequence[Image]) -> list[Image]:
    """Of each mask, the lowest first, what none above it covers."""
    seen: list[Image] = []
    over: Image | None = None
    for mask in reversed(masks):
        seen.append(mask if over is None else np.asarray(mask & (over == 0), np.uint8))
        over = mask if over is None else np.asarray(over | mask, np.uint8)
    return seen[::-1]


def without_rim(mask: Image) -> Image:
    """A mask (0/1) without its rim, or all of it if it has nothing else: nobody knows to a pixel where a card ends."""
    inner = np.asarray(cv2.erode(mask, np.ones((RIM, RIM), np.uint8)), np.uint8)
    return inner if inner.any() else mask


def share(of: Image, within: Image) -> float:
    """Which part of a mask (0/1) lies within another."""
    return int(np.count_nonzero(of & within)) / max(1, int(np.count_nonzero(of)))
