"""The second look: a crop laid over the few likeliest references, shifted, turned and scaled until it fits best.

The network sees what is painted; this sees whether it lies just so. Where crops fit (flat faces, thin lines) it tells
near twins apart; where they cannot (relief under another lamp) the correlation stays low and says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import SIDE

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

STILL = ((0.0, 1.0),)
NUDGES = ((5.0, 1.0), (-5.0, 1.0), (0.0, 0.94), (0.0, 1.06))
"""Degrees and scales that are tried around the turn that the network found."""

HOPELESS = 0.5
"""What fits no better as it lies is not nudged: that adds a tenth at most, and only good fits count."""


def planes(picture: Image) -> Planes:
    """GRID x GRID x 3: brightness, and twice colour, each channel over its upper quartile.

    That quartile is the piece's own ground, so what is left of the lamp's colour is little. Colour has two dimensions:
    what its three differences from the brightness tell, by the same distances.
    """
    light = np.add(picture, np.float32(4))
    rank = int(0.75 * SIDE * SIDE)
    ground = np.partition(light.reshape(-1, 3), rank, axis=0)[rank]
    small = cv2.resize(light, (GRID, GRID), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.transform(small, OPPONENT / ground), np.float32)


def fits(crop: Planes, candidates: Sequence[tuple[Planes, float]]) -> list[float]:
    """How well a crop can be laid over each candidate, a reference and the turn at which it was seen.

    All are tried as they lie; the two that fit best are nudged as well.
    """
    found = [fit(crop, reference, turn, STILL) for reference, turn in candidates]
    for number in sorted(range(len(found)), key=found.__getitem__, reverse=True)[:2]:
        if found[number] > HOPELESS:
            found[number] = max(found[number], fit(crop, *candidates[number], NUDGES))
    return found


def fit(crop: Planes, reference: Planes, turn: float, nudges: Sequence[tuple[float, float]]) -> float:
    """Best normalised correlation of a crop that is a reference turned clockwise by about `turn` degrees."""
    edge = (GRID - (WINDOW if turn % 90 == 0 else ROUND_WINDOW)) // 2
    window = reference[edge : GRID - edge, edge : GRID - edge]
    best = -1.0
    for angle, scale in nudges:
        matrix = cv2.getRotationMatrix2D((GRID / 2 - 0.5, GRID / 2 - 0.5), turn + angle, scale)
        seen = cv2.warpAffine(crop, matrix, (GRID, GRID), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        best = max(best, float(cv2.matchTemplate(seen, window, cv2.TM_CCOEFF_NORMED).max()))
    return best
