"""Compares a crop with a gallery: the network's scores, the second look, and what both say for the likeliest kind.

A crop that leaves doubt is laid over the likeliest reference and compared anew; see `closer`.
"""

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
"""Kinds that get a second look."""

REACH = 0.08
"""How far behind the best a kind may be for that."""

FITS, WEIGHT = 0.5, 0.6
"""Correlation above which a fit speaks for a kind, and what each point above it adds to the score."""


Upright: TypeAlias = tuple[Image, float]
"""A canonical picture, and the degrees clockwise that the crop was turned to stand upright."""


class ComparedCrop(msgspec.Struct, frozen=True):
    """A picture of one crop as the network sees it: canonical, after so many degrees clockwise; each kind's score, and
    best view. hidden: where a reference was painted in; None if nowhere. glare: the share of it that is a lamp's."""

    image: Image
    turned: float
    scores: Vectors
    views: Views
    hidden: Mask | None = None
    glare: float = 0.0


def compare(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[ComparedCrop]:
    """Every crop against all references, by the network alone."""
    if not stood:
        return []
    scores, views = stock.best(embedding.describe([image for image, _ in stood]))
    return [ComparedCrop(image, turned, *row) for (image, turned), *row in zip(stood, scores, views, strict=True)]


def second_look(stock: Gallery, seen: ComparedCrop, given: Vectors | None = None, trust: float = 1.0) -> Vectors:
    """The scores, or those given, with near twins told apart by how well the crop can be laid over the references.

    trust: from 0 to 1, how much that counts.
    """
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
    """What the confidence is made of. second: the scores after the second look."""
    best = int(second.argmax())
    number = int(seen.views[best]) // len(stock.turns)
    crop, reference = traits(seen.image), stock.traits[number]
    expected = stock.rehearsal.expected(number, best, crop, reference)
    return evidence(seen.scores, second, stock.crowd, crop, reference, expected)
