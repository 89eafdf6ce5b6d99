"""Turns what speaks for a crop's best kind into the probability that it is right.

A logistic function, rising with each measure, fitted on public photographs, as taken and spoiled, with each kind of
piece left out in turn (tools/lab/equal_faults.py).
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
import numpy.typing as npt

from vision.recognition.embedding import Vectors

Row = npt.NDArray[np.float64]

TIE = 0.01
"""Added to leads and distances before the logarithm."""

STRANGE, APART = 0.3, 0.12
"""Share of the doubt that is due to strangers, and the difference of scores that makes a kind e times likelier: both
fitted on the pictures that were misnamed (tools/lab/layouts.py)."""

FAR_OFF = 1e-6
"""Least distance of a probability from 0 and 1."""


WEIGHTS, OFFSET = (1.21, 3.38, 1.72, 0.58), -1.31
"""Weights of `NamingEvidence`, in its order, and what is added (tools/lab/equal_faults.py)."""


class NamingEvidence(msgspec.Struct, frozen=True):
    """Evidence for the best kind.

    near: negative logarithm of the network's distance (1 less score).
    lead: of the score, over the best other kind.
    agreed: of keypoints; 0 if the reference has too few.
    won: logarithm of the lead by score, correlation and keypoints together.
    """

    near: float
    lead: float
    agreed: float
    won: float


def confidence(seen: NamingEvidence) -> float:
    """Return the probability that the best kind is right."""
    height = OFFSET + sum(weight * value for weight, value in zip(WEIGHTS, msgspec.structs.astuple(seen), strict=True))
    return 1.0 / (1.0 + math.exp(-height))


def odds(sure: float) -> float:
    """Return the odds of a probability, kept from 0 and infinity."""
    bound = min(max(sure, FAR_OFF), 1 - FAR_OFF)
    return bound / (1 - bound)


def kind_odds(scores: Vectors, best: int, sure: float) -> Row:
    """Return each kind's odds against being none of them. sure: probability of the best kind."""
    likeness = np.exp((np.asarray(scores, np.float64) - float(scores.max())) / APART)
    likeness[best] = 0.0
    ratios = np.asarray((1 - STRANGE) / STRANGE * likeness / max(float(likeness.sum()), FAR_OFF), np.float64)
    ratios[best] = odds(sure) / STRANGE
    return ratios
