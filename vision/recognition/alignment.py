"""The second look: aligns a crop with the few likeliest references and measures how well each fits.

The network sees what is painted; this sees whether it lies just so, and decides between near twins. Where crops cannot
fit (relief under another lamp) the correlation stays low and says nothing.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Planes = npt.NDArray[np.float32]

GRID = 32
CHROMA = 2.0
"""How much more a difference in colour counts than one in brightness."""

OPPONENT = np.array(
    [
        [1 / 3, 1 / 3, 1 / 3],
        [CHROMA / np.sqrt(2), -CHROMA / np.sqrt(2), 0],
        [CHROMA / np.sqrt(6), CHROMA / np.sqrt(6), -2 * CHROMA / np.sqrt(6)],
    ]
)
"""From three channels to brightness and an orthonormal pair of colour differences."""

WINDOW, ROUND_WINDOW = 28, 22
"""Middle part of a reference that is compared: all but room to shift; in an odd turn, what has no corner in it."""


def planes(picture: Image) -> Planes:
    """GRID x GRID x 3: brightness, and twice colour; the lamp's too: nothing on a black piece would tell it."""
    small = cv2.resize(picture, (GRID, GRID), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.transform(small.astype(np.float32), OPPONENT), np.float32)


def fit(crop: Planes, reference: Planes, turn: float) -> float:
    """Best normalised correlation of a crop that is a reference turned clockwise by about `turn` degrees."""
    return float(_laid(crop, reference, turn).max())


def displaced(crop: Planes, reference: Planes, turn: float) -> tuple[float, float]:
    """How far right and down of its reference a crop lies, in parts of the picture, where it fits best."""
    fits = _laid(crop, reference, turn)
    down, right = np.unravel_index(int(fits.argmax()), fits.shape)
    away = np.array([right, down], np.float64) - (np.array(fits.shape) - 1) / 2
    angle = np.deg2rad(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    across, along = spin @ away / GRID
    return float(across), float(along)


def _laid(crop: Planes, reference: Planes, turn: float) -> Planes:
    edge = (GRID - (WINDOW if turn % 90 == 0 else ROUND_WINDOW)) // 2
    window = reference[edge : GRID - edge, edge : GRID - edge]
    seen = straight(crop, turn) if turn else crop
    return np.asarray(cv2.matchTemplate(seen, window, cv2.TM_CCOEFF_NORMED), np.float32)


def straight(crop: Planes, turn: float) -> Planes:
    """A crop turned back."""
    matrix = cv2.getRotationMatrix2D((GRID / 2 - 0.5, GRID / 2 - 0.5), turn, 1.0)
    seen = cv2.warpAffine(crop, matrix, (GRID, GRID), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(np.float32, copy=False)
