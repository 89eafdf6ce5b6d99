"""A picture as a unit vector: white-balanced brightness and colour, with its mean taken off.

The dot product of two such vectors is their normalised correlation.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Vector = npt.NDArray[np.float32]

GRID = 32
CHROMA = 2.0
"""How much more a difference in colour counts than one in brightness."""


def balanced(image: Image) -> Vector:
    """Each channel divided by its upper quartile, which is the piece's own ground under whatever lamp is on."""
    light = image.astype(np.float32) + 4.0
    ground = np.percentile(light.reshape(-1, 3), 75, axis=0).astype(np.float32)
    return np.asarray(light / ground, np.float32)


def describe(image: Image) -> Vector:
    """One canonical picture as a unit vector."""
    small = cv2.resize(balanced(image), (GRID, GRID), interpolation=cv2.INTER_AREA)
    gray = small.mean(axis=2, keepdims=True)
    planes = np.concatenate([gray, (small - gray) * CHROMA], axis=2)
    vector = np.asarray((planes - planes.mean(axis=(0, 1))).ravel(), np.float32)
    return vector / np.float32(np.linalg.norm(vector) + 1e-6)
