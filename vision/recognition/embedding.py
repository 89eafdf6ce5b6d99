"""Describes pictures as unit vectors by a network trained on invented pieces (tools/lab/train_embedding).

Pictures of a piece under different lamps are close; the dot product is the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition.models import NETWORK, read_model

Vectors = npt.NDArray[np.float32]
Rows = npt.NDArray[np.float64]

BATCH = 32
"""Pictures per network call."""

QUIET, QUIET_EVEN = 0.02, 0.1
"""Added to the spread against noise in empty pictures."""


class Embedding:
    """The network; not thread-safe. Raises BadFile."""

    def __init__(self) -> None:
        self._network = cv2.dnn.readNetFromONNX(np.frombuffer(read_model(NETWORK), np.uint8))

    @staticmethod
    def steps(count: int) -> int:
        """Return the number of steps for `count` pictures."""
        return -(-count // BATCH)

    def describe(self, pictures: Sequence[Image], heard: Heard = nobody) -> Vectors:
        """Return canonical pictures' unit vectors, one per row."""
        if not pictures:
            return np.zeros((0, 0), np.float32)
        parts = []
        for start in range(0, len(pictures), BATCH):
            self._network.setInput(_prepare(pictures[start : start + BATCH]))
            parts.append(np.array(self._network.forward(), np.float32))
            heard(len(parts), self.steps(len(pictures)))
        vectors = np.concatenate(parts)
        return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9), np.float32)


def _prepare(pictures: Sequence[Image]) -> Vectors:
    """Return N x 6 x H x W: each picture normalised, and with each channel over its mean, without the lamp's colour."""
    batch = np.stack(pictures)
    count, height, width, _ = batch.shape
    levels = np.array([cv2.meanStdDev(picture) for picture in pictures], np.float64).reshape(count, 2, 3) / 255
    mean, spread = levels[:, 0], levels[:, 1]
    light = np.ascontiguousarray(batch.transpose(0, 3, 1, 2)).astype(np.float32)
    planes = np.empty((count, 6, height, width), np.float32)
    _level(light, mean, spread, np.ones_like(mean), QUIET, planes[:, :3])
    _level(light, mean, spread, 1 / (mean + 0.02), QUIET_EVEN, planes[:, 3:])
    return planes


def _level(light: Vectors, mean: Rows, spread: Rows, gains: Rows, quiet: float, out: Vectors) -> None:
    """Scale pictures by gains, to mean 0 and spread 1. light: 0 to 255; mean, spread: 0 to 1."""
    centre = (mean * gains).mean(axis=1, keepdims=True)
    whole = np.sqrt(((spread * gains) ** 2 + (mean * gains - centre) ** 2).mean(axis=1, keepdims=True)) + quiet
    np.multiply(light, (gains / (255 * whole)).astype(np.float32)[:, :, None, None], out=out)
    out -= (centre / whole).astype(np.float32)[:, :, None, None]


@lru_cache(maxsize=1)
def shipped_embedding() -> Embedding:
    """Return the shipped network, loaded once. Raises BadFile."""
    return Embedding()
