"""Tells whether a picture agrees with a print in every neighbourhood: a stranger may differ where no two kinds do."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.recognition.correlation import NONE

Floats = npt.NDArray[np.float32]

SOFT = 1.2
"""Blur, in pixels, under which noise goes and print stays."""

AROUND = (9, 9)
"""Pixels of a neighbourhood: about a letter, or a suit."""

BOLD = 0.15
"""Where neither varies by so much of what either does at most, there is no print."""

WORST = 5.0
"""Percentage of the neighbourhoods with print that may agree less: edges that are a pixel off, a spot of glare."""


def throughout(reference: Floats, seen: Floats, weight: Floats) -> float:
    """Correlation of a print with a picture, both H x W x 3, where they agree least; 1 if nothing is printed.

    weight: H x W, over half where they are compared. Each neighbourhood has its own brightness and contrast, so
    that light and shade count for nothing.
    """
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
    """A softened picture, and its mean around each pixel, of what is in sight."""
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT), np.float32)
    return soft, _around(soft * sight[..., None]) / share[..., None]


def _around(picture: Floats) -> Floats:
    """The mean around each pixel."""
    return np.asarray(cv2.blur(picture, AROUND), np.float32)
