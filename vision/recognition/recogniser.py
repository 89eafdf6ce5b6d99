"""Naming pieces from enrolled references, stones and cards alike. Abstains below its threshold (design law 4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition import enrolment
from vision.recognition.alignment import fits, planes
from vision.recognition.confidence import confidence
from vision.recognition.embedding import Embedding, Vectors, shipped
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import gallery, upright
from vision.recognition.naming import Naming

THRESHOLD = 0.935
"""Confidence from which a name is given."""

LIKELIEST = 3
"""Kinds that get a second look."""

REACH = 0.15
"""How far behind the best a kind may be for that: more than a fit could make up."""

FITS, WEIGHT = 0.7, 0.3
"""Correlation above which a fit speaks for a kind, and what each point above it adds to the score."""


class Match(msgspec.Struct, frozen=True):
    """The best kind for one crop, whether or not it is good enough to be named."""

    kind: str
    score: float
    confidence: float
    angle_deg: float


class EnrolledRecogniser:
    """A `Recogniser` (see `naming`) for one enrolled set. The kind of a blank back is `enrolment.BACK`."""

    def __init__(self, enrolled: EnrolledSet, embedding: Embedding | None = None) -> None:
        self._embedding = embedding or shipped()
        self._gallery = gallery(enrolled, self._embedding)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self._gallery.kinds

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """One answer a crop, in order; kind None where it abstains. Raises ValueError for a crop without pixels."""
        return self.named(self.match(crops))

    def named(self, matches: Sequence[Match]) -> list[Naming]:
        """Matches as answers: kind None below the threshold, where the likeliest kind is only a guess."""
        return [
            Naming(match.kind if match.confidence >= THRESHOLD else None, match.confidence, match.angle_deg, match.kind)
            for match in matches
        ]

    def match(self, crops: Sequence[Image]) -> list[Match]:
        """The best kind for each crop, without a threshold. Raises ValueError for a crop without pixels."""
        if not crops:
            return []
        scores, angles = self.scores(crops)
        return [self._decide(row, turns) for row, turns in zip(scores, angles, strict=True)]

    def scores(self, crops: Sequence[Image]) -> tuple[Vectors, Vectors]:
        """For each crop and each kind: how well they agree, and the turn at which they do, in degrees clockwise."""
        stock = self._gallery
        stood = [upright(crop, stock.long) for crop in crops]
        scores, views = stock.best(self._embedding.describe([image for image, _ in stood]))
        for row, found, (image, _) in zip(scores, views, stood, strict=True):
            self._look_again(image, row, found)
        angles = np.array(stock.turns)[views % len(stock.turns)] - np.array([[turned] for _, turned in stood])
        return scores, np.asarray(angles % 360.0, np.float32)

    def _look_again(self, image: Image, scores: Vectors, views: npt.NDArray[np.intp]) -> None:
        """Adds to the scores of the likeliest kinds what laying the crop over their references tells; in place."""
        likely = np.argsort(-scores)[:LIKELIEST]
        likely = likely[scores[likely] > scores[likely[0]] - REACH]
        found = fits(planes(image), [self._gallery.reference(int(views[number])) for number in likely])
        scores[likely] += WEIGHT * np.maximum(0.0, np.array(found) - FITS)

    def _decide(self, scores: Vectors, angles: Vectors) -> Match:
        number = int(scores.argmax())
        return Match(self._gallery.kinds[number], float(scores[number]), confidence(scores), float(angles[number]))


def load(folder: Path) -> EnrolledRecogniser:
    """The recogniser for the set in a folder written by `vision.recognition.enrolment.save`. Raises EnrolmentError."""
    return EnrolledRecogniser(enrolment.load(folder))
