"""A picture as a unit vector, by a small network trained on invented pieces (tools/train_embedding).

Pictures of one piece under different lamps come out close together, whatever is painted on it; their dot product is
the score that everything else is built on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Vectors = npt.NDArray[np.float32]

MODEL = Path(__file__).with_name("embedding.onnx")
BATCH = 32
"""Pictures that go through the network at once: more are not faster on one thread."""


class Embedding:
    """The network, read once. Not for use by several threads at a time."""

    def __init__(self, model: Path = MODEL) -> None:
        self._network = cv2.dnn.readNetFromONNX(str(model))

    def describe(self, pictures: Sequence[Image]) -> Vectors:
        """Canonical pictures as unit vectors, one a row."""
        if not pictures:
            return np.zeros((0, 0), np.float32)
        parts = []
        for start in range(0, len(pictures), BATCH):
            self._network.setInput(_prepared(np.stack(pictures[start : start + BATCH])))
            parts.append(np.array(self._network.forward(), np.float32))
        vectors = np.concatenate(parts)
        return np.asarray(vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9), np.float32)


def _prepared(pictures: Image) -> Vectors:
    """N x H x W x 3 as N x 6 x H x W: each picture as it is, and with every channel over its own mean.

    The second takes the lamp's colour out of a pale or gray face; which of the two to trust the network has learned.
    Both are brought to mean 0 and spread 1 over all their channels, but not the noise of an empty picture: each channel
    is scaled and shifted once, by what its mean and mean square tell.
    """
    number, height, width, _ = pictures.shape
    planes = np.multiply(pictures.transpose(0, 3, 1, 2), np.float32(1 / 255), order="C")
    flat = planes.reshape(number, 3, -1)
    means, squares = flat.mean(axis=2), np.einsum("ncp,ncp->nc", flat, flat) / np.float32(height * width)
    over = 1 / (means + np.float32(0.02))
    prepared = np.empty((number, 2, 3, height, width), np.float32)
    for form, (gains, quiet) in enumerate(((np.ones_like(means), 0.02), (over, 0.1))):
        middle = (gains * means).mean(axis=1)
        spread = np.sqrt(np.maximum(0, (gains * gains * squares).mean(axis=1) - middle * middle)) + np.float32(quiet)
        np.multiply(planes, (gains / spread[:, None])[..., None, None], out=prepared[:, form])
        prepared[:, form] -= (middle / spread)[:, None, None, None]
    return prepared.reshape(number, 6, height, width)


@lru_cache(maxsize=1)
def shipped() -> Embedding:
    """The network that the program came with."""
    return Embedding()


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Names the shipped network, so that vectors of another one are not mistaken for its own."""
    return hashlib.sha256(MODEL.read_bytes()).hexdigest()[:16]
