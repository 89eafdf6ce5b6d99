"""Compares crops with a gallery: network scores, second look and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np

from vision.camera import Image
from vision.recognition.alignment import fit, planes
from vision.recognition.confidence import Evidence, evidence
from vision.recognition.covered import Mask
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.gallery import Gallery, Views
from vision.recognition.traits import traits

LIKELIEST = 5
"""Kinds given a second look."""

REACH = 0.08
"""Score by which they may trail."""

FITS, WEIGHT = 0.5, 0.6
"""Correlation that counts, and its weight beyond."""


Upright: TypeAlias = tuple[Image, float]
"""A canonical picture and its clockwise turn in degrees."""


class ComparedCrop(msgspec.Struct, frozen=True):
    """A crop with each kind's score and best view.

    turned: degrees clockwise.
    hidden: painted part, or None.
    glare: its share due to a lamp.
    """

    image: Image
    turned: float
    scores: Vectors
    views: Views
    hidden: Mask | None = None
    glare: float = 0.0


def compare(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[ComparedCrop]:
    """Compare crops by the network."""
    if not stood:
        return []
    scores, views = stock.best(embedding.describe([image for image, _ in stood]))
    return [ComparedCrop(image, turned, *row) for (image, turned), *row in zip(stood, scores, views, strict=True)]


def second_look(stock: Gallery, seen: ComparedCrop, given: Vectors | None = None, trust: float = 1.0) -> Vectors:
    """Return scores adjusted by alignment with near twins. trust: weight, 0 to 1."""
    scores = (seen.scores if given is None else given).copy()
    likely = np.argsort(-scores, kind="stable")[:LIKELIEST]
    likely = likely[scores[likely] > scores[likely[0]] - REACH]
    if len(likely) > 1:
        crop = planes(seen.image)
        found = [fit(crop, *stock.reference(int(seen.views[number]))) for number in likely]
        gains = trust * WEIGHT * np.maximum(0.0, np.array(found, np.float32) - FITS)
        scores[likely] += gains - gains.min()
    return scores


def weigh(stock: Gallery, seen: ComparedCrop, second: Vectors) -> Evidence:
    """Return the evidence. second: scores after the second look."""
    best = int(second.argmax())
    number = int(seen.views[best]) // len(stock.turns)
    crop, reference = traits(seen.image), stock.traits[number]
    expected = stock.rehearsal.expected(number, best, crop, reference)
    return evidence(seen.scores, second, stock.crowd, crop, reference, expected)
