"""Measures local agreement with a print; strangers may differ where no two kinds do."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.correlation import NONE

Floats = npt.NDArray[np.float32]

SOFT = 1.2
"""Blur in pixels against noise."""

AROUND = (9, 9)
"""Neighbourhood in pixels, about a letter."""

BOLD = 0.15
"""Relative variance of print."""

WORST = 5.0
"""Percentage that may agree less, for misaligned edges and glare."""


def throughout(reference: Floats, seen: Floats, weight: Floats) -> float:
    """Return the lowest local correlation but for WORST percent of places, independent of light; 1 without print. H x W
    x 3, where weight is over half."""
    sight = (weight > 0.5).astype(np.float32)
    share = np.maximum(_around(sight), NONE)
    one, other = (_relief(picture, sight, share) for picture in (reference, seen))
    own, its, common = (
        _around(sight * np.asarray((a * b).sum(axis=2), np.float32)) / share - (c * d).sum(axis=2)
        for (a, c), (b, d) in ((one, one), (other, other), (one, other))
    )
    most = np.maximum(own, its) * sight
    there = (most > BOLD * most.max()) & (sight > 0)
    if not there.any():
        return 1.0
    lengths = np.sqrt(np.maximum(own, NONE) * np.maximum(its, NONE))
    return float(np.percentile((common / lengths)[there], WORST))


def _relief(picture: Floats, sight: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Return a softened picture and its visible local mean."""
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT), np.float32)
    return soft, _around(soft * sight[..., None]) / share[..., None]


def _around(picture: Floats) -> Floats:
    return np.asarray(cv2.blur(picture, AROUND), np.float32)
