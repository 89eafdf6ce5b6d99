"""Estimates a picture's blur relative to its reference."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.correlation import correlation, gray

Floats = npt.NDArray[np.float32]

BLURS = (0.0, 0.8, 1.2, 1.6, 2.0)
"""Blurs in print pixels; the last may be exceeded."""


def softness(reference: Floats, seen: Floats, weight: Floats) -> float:
    """Return the blur in BLURS that fits best, H x W x 3, where weight is over half."""
    mine, other = gray(reference), gray(seen)[..., None]
    return max(BLURS, key=lambda blur: correlation(soften(mine, blur)[..., None], other, weight))


def soften(picture: Floats, blur: float) -> Floats:
    """Blur a picture by this many pixels."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.float32) if blur else picture
