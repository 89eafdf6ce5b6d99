"""From a crop's scores to the probability that its best kind is right.

Fitted by logistic regression over sets that no training has seen (docs/recognition.md), with each kind left out in turn
as a piece of no kind.
"""

from __future__ import annotations

import math

import numpy as np

from vision.recognition.embedding import Vectors

SCORE, GAP, LEAD, OFFSET = 18.7, 16.4, -8.2, -16.7

FIELD = 5
"""Rivals that the lead is measured against."""


def confidence(scores: Vectors) -> float:
    """scores: of every kind, at least one. A set of one kind has no rivals: the lead is then the score itself."""
    ordered = np.sort(scores)[::-1]
    rivals = ordered[1 : FIELD + 1]
    best = float(ordered[0])
    gap = best - max(0.0, float(rivals[0])) if rivals.size else best
    lead = best - float(rivals.mean()) if rivals.size else best
    return 1.0 / (1.0 + math.exp(-(SCORE * best + GAP * gap + LEAD * lead + OFFSET)))
