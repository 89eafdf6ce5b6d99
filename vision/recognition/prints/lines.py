"""Aligns prints by their lines, independent of light.

Lines of backs repeat, so local alignment may lock one off; all places are tried at a few turns.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.correlation import correlation, gray

Floats = npt.NDArray[np.float32]

THIN, WIDE = 1.5, 6.0
"""Blurs in pixels that separate noise and light."""

HALF = 0.5
"""Reduction of pictures."""

EDGE = 6
"""Omitted rim in pixels, additional search range."""

ASKEW = (-3.0, 0.0, 3.0)
"""Turns tried in degrees."""


def lines(picture: Floats) -> Floats:
    """Return local contrast, H x W."""
    level = gray(picture)
    fine, wide = (cv2.GaussianBlur(level, (0, 0), blur) for blur in (THIN, WIDE))
    return np.asarray(fine - wide, np.float32)


def agreement(reference: Floats, seen: Floats, weight: Floats) -> float:
    """Correlate two pictures' lines, H x W x 3, by weight (H x W)."""
    return correlation(lines(reference)[..., None], lines(seen)[..., None], weight)


def sought(reference: Floats, picture: Floats, turns: Sequence[float]) -> Floats:
    """Return the best transform (2 x 3) into a larger picture. turns: approximate degrees."""
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
