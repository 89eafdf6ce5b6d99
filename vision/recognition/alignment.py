"""Aligns crops with the likeliest references to distinguish near twins.

The network sees what is painted; this measures if it is in the same place. Different light keeps the correlation low,
which then has no effect.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Planes = npt.NDArray[np.float32]

GRID = 32
CHROMA = 2.0
"""Weight of colour relative to brightness."""

OPPONENT = np.array(
    [
        [1 / 3, 1 / 3, 1 / 3],
        [CHROMA / np.sqrt(2), -CHROMA / np.sqrt(2), 0],
        [CHROMA / np.sqrt(6), CHROMA / np.sqrt(6), -2 * CHROMA / np.sqrt(6)],
    ]
)
"""Maps BGR to brightness and two orthonormal colour differences."""

WINDOW, ROUND_WINDOW = 28, 22
"""Compared middle of a reference; smaller for odd turns, to omit corners."""


def planes(picture: Image) -> Planes:
    """Return brightness and weighted colour, GRID x GRID x 3, including the lamp's."""
    small = cv2.resize(picture, (GRID, GRID), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.transform(small.astype(np.float32), OPPONENT), np.float32)


def fit(crop: Planes, reference: Planes, turn: float) -> float:
    """Return the best correlation of a crop turned clockwise by about `turn` degrees."""
    return float(_lay_windows(crop, reference, turn).max())


def find_offset(crop: Planes, reference: Planes, turn: float) -> tuple[float, float]:
    """Return the crop's best offset right and down, in picture sides."""
    fits = _lay_windows(crop, reference, turn)
    down, right = np.unravel_index(int(fits.argmax()), fits.shape)
    away = np.array([right, down], np.float64) - (np.array(fits.shape) - 1) / 2
    angle = np.deg2rad(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    across, along = spin @ away / GRID
    return float(across), float(along)


def _lay_windows(crop: Planes, reference: Planes, turn: float) -> Planes:
    edge = (GRID - (WINDOW if turn % 90 == 0 else ROUND_WINDOW)) // 2
    window = reference[edge : GRID - edge, edge : GRID - edge]
    seen = straight(crop, turn) if turn else crop
    return np.asarray(cv2.matchTemplate(seen, window, cv2.TM_CCOEFF_NORMED), np.float32)


def straight(crop: Planes, turn: float) -> Planes:
    """Return the crop turned back by `turn` degrees."""
    matrix = cv2.getRotationMatrix2D((GRID / 2 - 0.5, GRID / 2 - 0.5), turn, 1.0)
    seen = cv2.warpAffine(crop, matrix, (GRID, GRID), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(np.float32, copy=False)
