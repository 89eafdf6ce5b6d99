"""How much softer a picture of a print is than what was enrolled: by a lens, from farther away, in fewer pixels."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.correlation import correlation, gray

Floats = npt.NDArray[np.float32]

BLURS = (0.0, 0.8, 1.2, 1.6, 2.0)
"""In pixels of the print. What looks most like the last may be softer yet: how soft is not known."""


def softness(reference: Floats, seen: Floats, weight: Floats) -> float:
    """With which of the BLURS a print looks most like a picture of it, both H x W x 3. weight: H x W, over half where
    they are compared."""
    mine, other = gray(reference), gray(seen)[..., None]
    return max(BLURS, key=lambda blur: correlation(softened(mine, blur)[..., None], other, weight))


def softened(picture: Floats, blur: float) -> Floats:
    """The picture, H x W or H x W x 3, softer by so many pixels."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.float32) if blur else picture
