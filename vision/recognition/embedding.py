"""A picture as a unit vector, by a small network trained on invented pieces (tools/lab/train_embedding).

Pictures of one piece under different lamps come out close together, whatever is painted on it; their dot product is
the score that everything else is built on.
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
"""Pictures that go through the network at once: more are not faster on one thread."""

QUIET, QUIET_EVEN = 0.02, 0.1
"""Added to the spread that a picture is divided by, so that the noise of an empty one stays small."""


class Embedding:
    """The network, read once. Not for use by several threads at a time. Raises BadFile."""

    def __init__(self) -> None:
        self._network = cv2.dnn.readNetFromONNX(np.frombuffer(read_model(NETWORK), np.uint8))

    @staticmethod
    def steps(count: int) -> int:
        """In how many steps so many pictures are described."""
        return -(-count // BATCH)

    def describe(self, pictures: Sequence[Image], heard: Heard = nobody) -> Vectors:
        """Canonical pictures as unit vectors, one a row."""
        if not pictures:
            return np.zeros((0, 0), np.float32)
        parts = []
        for start in range(0, len(pictures), BATCH):
            self._network.setInput(_prepared(pictures[start : start + BATCH]))
            parts.append(np.array(self._network.forward(), np.float32))
            heard(len(parts), self.steps(len(pictures)))
        vectors = np.concatenate(parts)
        return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9), np.float32)


def _prepared(pictures: Sequence[Image]) -> Vectors:
    """H x W x 3 each, as N x 6 x H x W: each picture as it is, and with every channel over its own mean.

    The second takes the lamp's colour out of a pale or gray face; which of the two to trust the network has learned.
    """
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
    """Every picture times its gains, to mean 0 and spread 1 over all its channels.

    light: 0 to 255. mean, spread: of each picture and channel, 0 to 1: cheaper than going over the pixels again.
    """
    centre = (mean * gains).mean(axis=1, keepdims=True)
    whole = np.sqrt(((spread * gains) ** 2 + (mean * gains - centre) ** 2).mean(axis=1, keepdims=True)) + quiet
    np.multiply(light, (gains / (255 * whole)).astype(np.float32)[:, :, None, None], out=out)
    out -= (centre / whole).astype(np.float32)[:, :, None, None]


@lru_cache(maxsize=1)
def shipped() -> Embedding:
    """The network that the program came with."""
    return Embedding()
