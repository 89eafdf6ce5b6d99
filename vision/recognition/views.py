"""Views of one reference: every turn that may occur, each a little shifted, scaled and tilted, as rough crops are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.canonical import SIDE

JITTERS = (
    (0.0, 1.0, 0.0, 0.0),
    (4.0, 1.06, 0.03, -0.03),
    (-4.0, 0.94, -0.03, 0.03),
    (5.0, 0.95, 0.04, 0.04),
    (-5.0, 1.05, -0.04, -0.04),
)
"""Degrees, scale, and shift right and down in parts of the side."""


def view(image: Image, angle: float, scale: float = 1.0, right: float = 0.0, down: float = 0.0) -> Image:
    """The canonical picture turned clockwise, scaled and shifted; what comes in at the edges repeats them."""
    middle = SIDE / 2 - 0.5
    matrix = cv2.getRotationMatrix2D((middle, middle), -angle, scale)
    matrix[:, 2] += np.array([right, down]) * SIDE
    seen = cv2.warpAffine(image, matrix, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(np.uint8, copy=False)


def views(image: Image, angles: Sequence[float]) -> Iterator[tuple[float, Image]]:
    """Every turn with every jitter, with the turn."""
    for angle in angles:
        for tilt, scale, right, down in JITTERS:
            yield angle, view(image, angle + tilt, scale, right, down)
