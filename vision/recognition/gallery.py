"""Everything that a crop is compared with: each reference in each turn, as unit vectors."""

from __future__ import annotations

import msgspec
import numpy as np

from vision.camera import Image
from vision.enrolment import EnrolledSet
from vision.recognition.canonical import canonical, elongated, portrait, turns
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.views import turned


class Gallery(msgspec.Struct, frozen=True):
    """Views sorted by kind: `vectors` (n x d), the turn of each in degrees clockwise, and where each kind starts.

    long: the set's pieces are longer than wide, so that a crop is stood upright before it is compared.
    """

    kinds: tuple[str, ...]
    long: bool
    vectors: Vectors
    angles: Vectors
    starts: tuple[int, ...]

    def best(self, queries: Vectors) -> tuple[Vectors, Vectors]:
        """For each query (m x d): the best score of each kind (m x kinds), and the turn of the best view (m)."""
        scores = queries @ self.vectors.T
        return np.maximum.reduceat(scores, self.starts, axis=1), self.angles[scores.argmax(axis=1)]


def upright(image: Image, long: bool) -> tuple[Image, float]:
    """The canonical picture of a crop, and the degrees clockwise that it was turned to stand upright."""
    stood, angle = portrait(image) if long else (image, 0.0)
    return canonical(stood), angle


def gallery(enrolled: EnrolledSet, embedding: Embedding) -> Gallery:
    """All views of a set's pictures. About half a millisecond a view."""
    long = elongated(image for images in enrolled.pictures.values() for image in images)
    allowed = turns(enrolled.symmetry, long)
    seen: list[Image] = []
    angles: list[float] = []
    starts: list[int] = []
    for images in enrolled.pictures.values():
        starts.append(len(seen))
        for image in images:
            straight = upright(image, long)[0]
            seen += [turned(straight, angle) for angle in allowed]
            angles += allowed
    vectors = embedding.describe(seen)
    return Gallery(tuple(enrolled.pictures), long, vectors, np.array(angles, np.float32), tuple(starts))
