"""Masks of the pixels of a print that are compared, in its own size (width, height): 1 where they are."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

RIM = 4
"""Pixels along a card's edges that are not compared."""


def inside(size: tuple[int, int]) -> Floats:
    """1 within a card: what lies around it may show along its edges, where it was enrolled or where it is seen."""
    mask = np.zeros(size[::-1], np.float32)
    mask[RIM:-RIM, RIM:-RIM] = 1.0
    return mask


def disc(size: tuple[int, int]) -> Floats:
    """1 within a token's face, without its rim."""
    mask = np.zeros(size[::-1], np.float32)
    cv2.circle(mask, (size[0] // 2, size[1] // 2), round(size[0] * 0.45), (1.0,), -1)
    return mask
