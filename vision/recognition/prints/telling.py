"""Distinguishes two similar prints by differing pixels."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LEAST, ALIKE = 60, 0.03
"""Values (three per pixel) that must differ by this share of the paper's brightness."""

FAINTEST = 0.3
"""Least visible contrast of ink."""


def tell_apart(mine: Floats, other: Floats, seen: Floats, weight: npt.NDArray[np.bool_]) -> float:
    """Return -0.5 (other) to 0.5 (mine), 0 if unclear. Pictures: H x W x 3; weight: visible part, H x W.

    The ink's darkness follows from seen = a mine + b other + c.
    """
    difference = np.abs(cv2.GaussianBlur(mine - other, (0, 0), 1.0)) * weight[..., None]
    least = np.partition(difference, difference.size - LEAST, axis=None)[-LEAST]
    level = min(float(difference.max()) / 2, float(least))
    if level < ALIKE:
        return 0.0
    telling = difference >= level
    around = (cv2.dilate(np.asarray(telling.any(axis=2), np.uint8), np.ones((5, 5), np.uint8)) > 0) & weight
    soft = [cv2.GaussianBlur(each, (0, 0), 1.0)[around].ravel() for each in (mine, other, seen)]
    rows = np.array([soft[0], soft[1], np.ones_like(soft[0]), soft[2]], np.float64)
    sums = rows[:3] @ rows.T  # normal equations in double precision
    one, another, _ = np.linalg.lstsq(sums[:, :3], sums[:, 3], rcond=None)[0]
    if one + another < FAINTEST:
        return 0.0
    return float(np.clip(one / (one + another), 0.0, 1.0)) - 0.5
