"""Masks the compared pixels of a print."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

RIM = 4
"""Omitted edge of a card in pixels."""


def inside(size: tuple[int, int]) -> Floats:
    """Return a mask (0/1) of a card without its edges."""
    mask = np.zeros(size[::-1], np.float32)
    mask[RIM:-RIM, RIM:-RIM] = 1.0
    return mask


def disc(size: tuple[int, int]) -> Floats:
    """Return a mask (0/1) of a token without its rim."""
    mask = np.zeros(size[::-1], np.float32)
    cv2.circle(mask, (size[0] // 2, size[1] // 2), round(size[0] * 0.45), (1.0,), -1)
    return mask
