"""Decides which of two similar prints a picture shows, from the pixels in which they differ."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LEAST, ALIKE = 60, 0.03
"""So many values, three a pixel, must differ by so much of the paper's brightness for two prints to be told apart."""

FAINTEST = 0.3
"""Ink that shows with so small a part of its contrast tells nothing."""


def told(mine: Floats, other: Floats, seen: Floats, weight: npt.NDArray[np.bool_]) -> float:
    """From -0.5 (it is the other) to 0.5 (it is mine); 0 if nobody can tell. All H x W x 3; weight: what is in sight.

    How dark ink is in a soft picture is told by what both prints have around there: seen = a mine + b other + c.
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
    sums = rows[:3] @ rows.T  # three equations say as much as all the pixels, if they are summed finely enough
    one, another, _ = np.linalg.lstsq(sums[:, :3], sums[:, 3], rcond=None)[0]
    if one + another < FAINTEST:
        return 0.0
    return float(np.clip(one / (one + another), 0.0, 1.0)) - 0.5
