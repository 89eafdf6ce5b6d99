"""Turns scores into the probability that the best kind is right.

A logistic function of the evidence and its products, joined by boosted trees after a closer look, was fitted by
tools/lab/train_embedding/calibrate.py on unseen sets under table conditions, with each kind left out in turn. The
former suits sets like those, the latter is cautious with others.
"""

from __future__ import annotations

import math
from functools import cache

import msgspec
import numpy as np
import numpy.typing as npt

from vision.recognition.embedding import Vectors
from vision.recognition.models import FITS, read_model
from vision.recognition.rehearsal import Expected
from vision.recognition.traits import Traits
from vision.recognition.trees import Forest, Trees

Row = npt.NDArray[np.float64]

FIELD = 5
"""Rivals averaged for the lead."""

TIE = 0.01
"""Added to gaps before the logarithm."""

FAR = 3.0
"""Limit of evidence in standard deviations."""

EVEN, EVEN_CLOSELY, BARE = 0.015, 0.012, 0.5
"""Least lead (`Evidence.gap`, `Closer.ahead`) and visible share (`Closer.bare`) to decide."""

DOUBT = 0.5
"""Most confidence of an undecided name."""

TRUST, AGREED, OFFSET = 0.36, 1.88, -0.08
"""Weights of the log odds and of the keypoints' agreement, and what is added (tools/lab/equal_faults.py)."""

STRANGE, APART = 0.3, 0.12
"""Share of the doubt that is due to strangers, and the difference of scores that makes a kind e times likelier: both
fitted on the pictures that were misnamed (tools/lab/layouts.py)."""

FAR_OFF = 1e-6
"""Least distance of a probability from 0 and 1."""


class Evidence(msgspec.Struct, frozen=True):
    """Evidence for the best kind.

    best: network score.
    gap, lead: ahead of the next, and of FIELD on average.
    won: log lead after the second look.
    twin, rival: likeness to the most similar kind, and to the next.
    crowd: median `twin`.
    softer, paler, burnt: traits relative to the reference.
    narrow, above: gap and score beyond those expected in such a picture, of the kind and of strangers.
    """

    best: float
    gap: float
    lead: float
    won: float
    twin: float
    rival: float
    crowd: float
    softer: float
    paler: float
    burnt: float
    narrow: float
    above: float


class Closer(Evidence, frozen=True):
    """Evidence after the closer look.

    anyhow, ahead: score and lead with spoiled references.
    strange: RMS difference of the likeliest kinds' scores from expected ones.
    soft: index in `closeness.SOFT`.
    hidden, glare: painted share, and part due to a lamp.
    Others: see `Closeness`.
    """

    anyhow: float
    ahead: float
    strange: float
    soft: float
    whole: float
    middle: float
    worst: float
    bare: float
    apart: float
    beside: float
    telling: float
    hidden: float
    glare: float


class Fit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fitted weights, by name in `confidence.json`.

    weights: of values, then of pairwise products.
    trees: averaged in, if any.
    """

    centre: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]
    offset: float
    trees: Trees | None = None


class Crowd(msgspec.Struct, frozen=True):
    """Likeness of a set's kinds.

    alike: kinds x kinds, -1 on the diagonal.
    middle: median of row maxima.
    """

    alike: Vectors
    middle: float


def crowd(alike: Vectors) -> Crowd:
    """Build it from references' scores, kinds x kinds."""
    others = np.maximum(alike, alike.T)
    np.fill_diagonal(others, -1.0 if len(others) > 1 else 0.0)
    return Crowd(others, float(np.median(others.max(axis=1))))


def evidence(
    scores: Vectors, second: Vectors, among: Crowd, seen: Traits, reference: Traits, expected: Expected
) -> Evidence:
    """Return the evidence by scores before and after the second look."""
    number = int(second.argmax())
    best = float(scores[number])
    rivals = np.sort(np.delete(scores, number))[::-1][:FIELD] if len(scores) > 1 else np.zeros(1)
    order = np.argsort(-second, kind="stable")
    runner = int(order[1]) if len(order) > 1 else number
    gap = best - max(0.0, float(rivals[0]))
    return Evidence(
        best=best,
        gap=gap,
        lead=best - float(rivals.mean()),
        won=math.log(TIE + (float(second[number] - second[runner]) if runner != number else max(0.0, best))),
        twin=float(among.alike[number].max()),
        rival=float(among.alike[number, runner]),
        crowd=among.middle,
        softer=seen.edges - reference.edges,
        paler=seen.contrast - reference.contrast,
        burnt=seen.burnt - reference.burnt,
        narrow=gap - expected.gap,
        above=best - expected.stranger,
    )


def confidence(seen: Evidence) -> float:
    """Return the probability that the best kind is right."""
    values = np.array(msgspec.structs.astuple(seen))
    sure = 1.0 / (1.0 + math.exp(-weights()[type(seen).__name__.lower()].height(values)))
    return min(sure, DOUBT) if undecided(seen) or guessed(seen) else sure


def undecided(seen: Evidence) -> bool:
    """Return True if another kind is as likely or too little is visible."""
    if isinstance(seen, Closer):
        return seen.ahead < EVEN_CLOSELY or seen.bare < BARE
    return seen.gap < EVEN


def guessed(seen: Evidence) -> bool:
    """Return True if the difference from the next kind may be covered."""
    return isinstance(seen, Closer) and seen.hidden > seen.glare and seen.ahead * seen.telling < EVEN_CLOSELY


def products(values: Row) -> Row:
    """Append pairwise products: ... x (n + n (n + 1) / 2)."""
    near = np.clip(values, -FAR, FAR)
    one, other = _pairs(near.shape[-1])
    return np.concatenate([near, near[..., one] * near[..., other]], axis=-1)


@cache
def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.triu_indices(count)


def witnessed(sure: float, agreed: float | None) -> float:
    """Return the probability with the keypoints' agreement; a name that was undecided stays so.

    agreed: see `keypoints.agreement`; None leaves the probability as it is.
    """
    if agreed is None or not 0 < sure < 1:
        return sure
    told = 1 / (1 + math.exp(-(TRUST * math.log(sure / (1 - sure)) + AGREED * agreed + OFFSET)))
    return min(told, DOUBT) if sure <= DOUBT else told


def odds(sure: float) -> float:
    """Return the odds of a probability, kept from 0 and from infinity."""
    bound = min(max(sure, FAR_OFF), 1 - FAR_OFF)
    return bound / (1 - bound)


def kind_odds(scores: Vectors, best: int, sure: float) -> Row:
    """Return the odds of each kind against being none of them. sure: probability of the best kind."""
    likeness = np.exp((np.asarray(scores, np.float64) - float(scores.max())) / APART)
    likeness[best] = 0.0
    ratios = np.asarray((1 - STRANGE) / STRANGE * likeness / max(float(likeness.sum()), FAR_OFF), np.float64)
    ratios[best] = odds(sure) / STRANGE
    return ratios


class Weights:
    """Evaluates a fit."""

    def __init__(self, fit: Fit) -> None:
        self._centre, self._spread, self._weights = np.array(fit.centre), np.array(fit.spread), np.array(fit.weights)
        self._offset = fit.offset
        self._forest = None if fit.trees is None else Forest(fit.trees)

    def height(self, values: Row) -> float:
        """Return the log odds."""
        plain = float(products((values - self._centre) / self._spread) @ self._weights) + self._offset
        return plain if self._forest is None else (plain + self._forest.height(values)) / 2


@cache
def weights() -> dict[str, Weights]:
    """Return the shipped fits by evidence name. Raises BadFile."""
    fits = msgspec.json.decode(read_model(FITS), type=dict[str, Fit])
    return {kind: Weights(fit) for kind, fit in fits.items()}
