"""Compares crops with a gallery: by the network, in place, and by keypoints.

Keypoints err elsewhere than the network.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from vision.recognition.alignment import fit, planes
from vision.recognition.confidence import TIE, NamingEvidence
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.gallery import Gallery, Upright, Views
from vision.recognition.keypoints import ReferenceKeypoints, agreement, keypoints

LIKELIEST, REACH = 5, 0.08
"""Kinds compared in place and by keypoints at most, and the score by which they may trail the best."""

FITS, PLACED, AGREED = 0.5, 0.3, 0.2
"""Correlation that counts, its weight beyond, and that of keypoints, beside the network's score."""


class ComparedCrop(msgspec.Struct, frozen=True):
    """A crop with each kind's score and best view."""

    crop: Upright
    scores: Vectors
    views: Views


class Examination(NamedTuple):
    """A crop's best kind, what speaks for it, and every kind's score with all evidence."""

    kind: int
    evidence: NamingEvidence
    totals: Vectors


def compare(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[ComparedCrop]:
    """Compare each crop with all enrolled pictures, by the network."""
    if not stood:
        return []
    scores, views = stock.best(embedding.describe([each.image for each in stood]))
    return [ComparedCrop(*row) for row in zip(stood, scores, views, strict=True)]


def examine(stock: Gallery, known: ReferenceKeypoints, seen: ComparedCrop) -> Examination:
    """Compare a crop with its likeliest kinds in place and by keypoints."""
    totals, agreed = seen.scores.copy(), dict[int, float]()
    crop, points = planes(seen.crop.image), keypoints(seen.crop.detail)
    for kind in np.argsort(-seen.scores, kind="stable")[:LIKELIEST].tolist():
        if seen.scores[kind] <= seen.scores.max() - REACH:
            break
        view = int(seen.views[kind])
        agreed[kind] = agreement(points, known.like(seen.crop.detail, view // len(stock.turns)))
        totals[kind] += PLACED * max(0.0, fit(crop, *stock.reference(view)) - FITS) + AGREED * agreed[kind]
    best = int(totals.argmax())
    score = float(seen.scores[best])
    evidence = NamingEvidence(
        near=-math.log(TIE + max(0.0, 1.0 - score)),
        lead=score - float(np.delete(seen.scores, best).max(initial=0.0)),
        agreed=agreed[best],
        won=math.log(TIE + max(0.0, float(totals[best]) - float(np.delete(totals, best).max(initial=0.0)))),
    )
    return Examination(best, evidence, totals)
