"""Naming pieces from enrolled references, stones and cards alike. Abstains below its threshold (design law 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from vision import enrolment
from vision.camera import Image
from vision.enrolment import EnrolledSet
from vision.naming import Naming
from vision.recognition.canonical import canonical, elongated, portrait, turns
from vision.recognition.descriptor import Vector, describe
from vision.recognition.views import views

THRESHOLD = 0.5
"""Confidence from which a name is given."""


class Match(msgspec.Struct, frozen=True):
    """The best kind for one crop, whether or not it is good enough to be named."""

    kind: str
    score: float
    confidence: float
    angle_deg: float


class Gallery(msgspec.Struct, frozen=True):
    """Every view of every reference: unit vectors (n x d), with kind (as a number) and turn of each; sorted by kind."""

    kinds: tuple[str, ...]
    long: bool
    vectors: Vector
    angles: Vector
    starts: tuple[int, ...]


def gallery(enrolled: EnrolledSet) -> Gallery:
    """All views of a set's pictures, described."""
    long = elongated(image for images in enrolled.pictures.values() for image in images)
    allowed = turns(enrolled.symmetry, long)
    vectors: list[Vector] = []
    angles: list[float] = []
    starts: list[int] = []
    for images in enrolled.pictures.values():
        starts.append(len(vectors))
        for image in images:
            upright = portrait(image)[0] if long else image
            for angle, seen in views(canonical(upright), allowed):
                vectors.append(describe(seen))
                angles.append(angle)
    return Gallery(
        tuple(enrolled.pictures), long, np.array(vectors, np.float32), np.array(angles, np.float32), tuple(starts)
    )


class EnrolledRecogniser:
    """A `vision.naming.Recogniser` for one enrolled set."""

    def __init__(self, enrolled: EnrolledSet) -> None:
        self._gallery = gallery(enrolled)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self._gallery.kinds

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """One answer a crop, in order; kind None where it abstains."""
        return [
            Naming(match.kind if match.confidence >= THRESHOLD else None, match.confidence, match.angle_deg)
            for match in self.match(crops)
        ]

    def match(self, crops: Sequence[Image]) -> list[Match]:
        """The best kind for each crop, without a threshold. Raises ValueError for a crop without pixels."""
        if not crops:
            return []
        stock = self._gallery
        upright = [portrait(crop) if stock.long else (crop, 0.0) for crop in crops]
        queries = np.array([describe(canonical(crop)) for crop, _ in upright], np.float32)
        scores = queries @ stock.vectors.T
        best = np.maximum.reduceat(scores, stock.starts, axis=1)
        return [self._decide(scores[row], best[row], turned) for row, (_, turned) in enumerate(upright)]

    def _decide(self, scores: Vector, best: Vector, turned: float) -> Match:
        stock = self._gallery
        number = int(best.argmax())
        rivals = np.delete(best, number)
        confidence = _confidence(float(best[number]), float(rivals.max(initial=0.0)))
        angle = float(stock.angles[int(scores.argmax())]) - turned
        return Match(stock.kinds[number], float(best[number]), confidence, angle % 360.0)


def _confidence(score: float, rival: float) -> float:
    """From the best score and the best of another kind, to a probability."""
    return 1.0 / (1.0 + math.exp(-(12.0 * (score - 0.75) + 6.0 * (score - rival))))


def load(folder: Path) -> EnrolledRecogniser:
    """The recogniser for the set in a folder written by `vision.enrolment.save`. Raises EnrolmentError."""
    return EnrolledRecogniser(enrolment.load(folder))
