"""A crop against a gallery: the network's scores, the second look, and what both say for the likeliest kind.

A crop that leaves doubt is moved to where it lies best over the likeliest reference, and compared anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import cv2
import msgspec
import numpy as np

from vision.camera import Image
from vision.recognition.alignment import displaced, fit, planes
from vision.recognition.canonical import SIDE
from vision.recognition.confidence import Evidence, evidence
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.gallery import Gallery, Views
from vision.recognition.traits import traits

LIKELIEST = 5
"""Kinds that get a second look."""

REACH = 0.08
"""How far behind the best a kind may be for that."""

FITS, WEIGHT = 0.5, 0.6
"""Correlation above which a fit speaks for a kind, and what each point above it adds to the score."""


OFF = 0.02
"""How far off its reference a crop is moved back, in parts of its side."""

Upright: TypeAlias = tuple[Image, float]
"""A canonical picture, and the degrees clockwise that the crop was turned to stand upright."""


class Compared(msgspec.Struct, frozen=True):
    """One crop as the network sees it: canonical, after so many degrees clockwise; each kind's score, and best view."""

    image: Image
    turned: float
    scores: Vectors
    views: Views


def compare(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[Compared]:
    """Every crop against all references, by the network alone."""
    if not stood:
        return []
    scores, views = stock.best(embedding.describe([image for image, _ in stood]))
    return [Compared(image, turned, *row) for (image, turned), *row in zip(stood, scores, views, strict=True)]


def second_look(stock: Gallery, seen: Compared) -> Vectors:
    """The scores, with near twins told apart by how well the crop can be laid over the references of each."""
    scores = seen.scores.copy()
    likely = np.argsort(-scores)[:LIKELIEST]
    likely = likely[scores[likely] > scores[likely[0]] - REACH]
    if len(likely) > 1:
        crop = planes(seen.image)
        found = [fit(crop, *stock.reference(int(seen.views[number]))) for number in likely]
        gains = WEIGHT * np.maximum(0.0, np.array(found, np.float32) - FITS)
        scores[likely] += gains - gains.min()
    return scores


def centred(stock: Gallery, seen: Compared, number: int) -> Upright | None:
    """The crop moved to where it lies best over the reference of a kind; None if that is where it lies already."""
    right, down = displaced(planes(seen.image), *stock.reference(int(seen.views[number])))
    if max(abs(right), abs(down)) < OFF:
        return None
    matrix = np.array([[1, 0, -right * SIDE], [0, 1, -down * SIDE]], np.float64)
    moved = cv2.warpAffine(seen.image, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return moved.astype(np.uint8, copy=False), seen.turned


def weigh(stock: Gallery, seen: Compared, second: Vectors) -> Evidence:
    """What the confidence is made of. second: the scores after the second look."""
    best = int(second.argmax())
    number = int(seen.views[best]) // len(stock.turns)
    crop, reference = traits(seen.image), stock.traits[number]
    expected = stock.rehearsal.expected(number, best, crop, reference)
    return evidence(seen.scores, second, stock.crowd, crop, reference, expected)
