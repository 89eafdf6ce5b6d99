"""Naming pieces from enrolled references, stones and cards alike. Abstains below its threshold (design law 4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from vision import enrolment
from vision.camera import Image
from vision.enrolment import EnrolledSet
from vision.naming import Naming
from vision.recognition.confidence import confidence
from vision.recognition.embedding import Embedding, Vectors, shipped
from vision.recognition.gallery import gallery, upright

THRESHOLD = 0.9
"""Confidence from which a name is given."""


class Match(msgspec.Struct, frozen=True):
    """The best kind for one crop, whether or not it is good enough to be named."""

    kind: str
    score: float
    confidence: float
    angle_deg: float


class EnrolledRecogniser:
    """A `vision.naming.Recogniser` for one enrolled set. The kind of a blank back is `vision.enrolment.BACK`."""

    def __init__(self, enrolled: EnrolledSet, embedding: Embedding | None = None) -> None:
        self._embedding = embedding or shipped()
        self._gallery = gallery(enrolled, self._embedding)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self._gallery.kinds

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """One answer a crop, in order; kind None where it abstains. Raises ValueError for a crop without pixels."""
        return [
            Naming(match.kind if match.confidence >= THRESHOLD else None, match.confidence, match.angle_deg)
            for match in self.match(crops)
        ]

    def match(self, crops: Sequence[Image]) -> list[Match]:
        """The best kind for each crop, without a threshold. Raises ValueError for a crop without pixels."""
        if not crops:
            return []
        stock = self._gallery
        stood = [upright(crop, stock.long) for crop in crops]
        scores, angles = stock.best(self._embedding.describe([image for image, _ in stood]))
        return [
            self._decide(row, float(angle) - turn) for row, angle, (_, turn) in zip(scores, angles, stood, strict=True)
        ]

    def _decide(self, scores: Vectors, angle: float) -> Match:
        number = int(scores.argmax())
        score = float(scores[number])
        rival = float(np.delete(scores, number).max(initial=0.0))
        return Match(self._gallery.kinds[number], score, confidence(score, rival), angle % 360.0)


def load(folder: Path) -> EnrolledRecogniser:
    """The recogniser for the set in a folder written by `vision.enrolment.save`. Raises EnrolmentError."""
    return EnrolledRecogniser(enrolment.load(folder))
