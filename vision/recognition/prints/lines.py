"""Aligns a print with a crop by its lines: whatever the lamp does to paper, lines stay where they are.

Backs are lines that repeat: laid over a crop from a little beside its place, one locks in a line too far. So all
places are tried at once, at a few turns.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.correlation import correlation, gray

Floats = npt.NDArray[np.float32]

THIN, WIDE = 1.5, 6.0
"""Blur, in pixels: what is finer than the first is noise, what is wider than the second may be a lamp's doing."""

HALF = 0.5
"""Lines are looked for in pictures of half the size."""

EDGE = 6
"""Pixels at the rim of a print that are not compared: a crop may be off by so much more."""

ASKEW = (-3.0, 0.0, 3.0)
"""Degrees by which a crop may be turned."""


def lines(picture: Floats) -> Floats:
    """H x W: what is darker or brighter than what is around it."""
    level = gray(picture)
    fine, wide = (cv2.GaussianBlur(level, (0, 0), blur) for blur in (THIN, WIDE))
    return np.asarray(fine - wide, np.float32)


def agreement(reference: Floats, seen: Floats, weight: Floats) -> float:
    """Correlation of the lines of two pictures, each H x W x 3, over what is in sight (H x W)."""
    return correlation(lines(reference)[..., None], lines(seen)[..., None], weight)


def sought(reference: Floats, picture: Floats, turns: Sequence[float]) -> Floats:
    """2 x 3, from the reference's pixels to the picture's, where its lines fit best; the picture is the larger.

    turns: degrees, roughly.
    """
    size = picture.shape[1::-1]
    part = lines(reference)[EDGE:-EDGE, EDGE:-EDGE]
    small = cv2.resize(part, None, fx=HALF, fy=HALF, interpolation=cv2.INTER_AREA)
    drawn, best, most = lines(picture), np.eye(2, 3, dtype=np.float32), -2.0
    for turn in (turn + askew for turn in turns for askew in ASKEW):
        back = cv2.getRotationMatrix2D((size[0] / 2 - 0.5, size[1] / 2 - 0.5), turn, 1.0)
        view = cv2.warpAffine(drawn, back, size, borderMode=cv2.BORDER_REPLICATE)
        view = cv2.resize(view, None, fx=HALF, fy=HALF, interpolation=cv2.INTER_AREA)
        _, fit, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(view, small, cv2.TM_CCOEFF_NORMED))
        if fit > most:
            forth = cv2.invertAffineTransform(back)
            corner = forth @ np.array([x / HALF - EDGE, y / HALF - EDGE, 1.0])
            best, most = np.column_stack([forth[:, :2], corner]).astype(np.float32), fit
    return best
