"""From a crop's scores to the probability that its best kind is right.

A logistic function of the evidence and of all its products, and after a closer look boosted trees beside it, fitted by
tools/lab/train_embedding/calibrate.py on sets that no training has seen, under all that a table does to a picture, with
each kind left out in turn as a piece of no kind. The one is right about sets like those it was fitted on, the other is
careful with those that are unlike.
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
"""Rivals that the lead is measured against."""

TIE = 0.01
"""Added to what the next kind is behind, so that near nothing is not infinitely less than nothing."""

FAR = 3.0
"""Standard deviations from the middle of what the fit has seen; evidence beyond is taken for that."""

EVEN, EVEN_CLOSELY, BARE = 0.015, 0.012, 0.5
"""How little a kind may be ahead of the next (`Evidence.gap`, `Closer.ahead`), and how little of it may be in sight
(`Closer.bare`), to be told at all."""

DOUBT = 0.5
"""No name that cannot be told is surer, whatever else speaks for it."""


class Evidence(msgspec.Struct, frozen=True):
    """What speaks for the best kind, and what against.

    best: its score by the network. gap: what the next is behind (below 0 if the second look overruled the network).
    lead: what the next FIELD are behind on average. won: logarithm of what the next is behind after the second look.
    twin: how like its references are to those of the kind most like it; rival: to those of the next; crowd: the middle
    `twin` of all kinds of the set. softer, paler, burnt: what its traits are above those of the reference.
    narrow: what its gap is above that expected of the kind when it is seen so badly; above: what its score is above
    that expected of strangers then.
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
    """What speaks for the best kind of a crop that was laid over all that it may be.

    anyhow, ahead: its score where a spoiled reference may be the likest, and what the next kind is behind then.
    strange: how far the scores of the kinds it is likest to are from what they would be (root mean square).
    soft: by which of `closeness.SOFT` the reference was blurred to be like the crop. hidden: the share of the crop
    where the reference was painted in, and glare: that where a lamp shines. The rest: see `Closeness`.
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
    """How one kind of evidence is weighed; `confidence.json` holds one for each, by name.

    centre, spread: of each value. weights: of each, then of each product of two (the first with itself and all after
    it, then the second, ...). offset: of all. trees: what has a say besides, of the same weight, if any have.
    """

    centre: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]
    offset: float
    trees: Trees | None = None


class Crowd(msgspec.Struct, frozen=True):
    """How alike the kinds of a set are.

    alike: kinds x kinds, -1 on the diagonal. middle: the median of the rows' largest.
    """

    alike: Vectors
    middle: float


def crowd(alike: Vectors) -> Crowd:
    """alike: kinds x kinds, the scores of references for other kinds. One kind alone has no twins."""
    others = np.maximum(alike, alike.T)
    np.fill_diagonal(others, -1.0 if len(others) > 1 else 0.0)
    return Crowd(others, float(np.median(others.max(axis=1))))


def evidence(
    scores: Vectors, second: Vectors, among: Crowd, seen: Traits, reference: Traits, expected: Expected
) -> Evidence:
    """scores, second: of every kind, by the network alone and after the second look. One kind alone has no rivals: it
    is ahead of nothing."""
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
    """The probability that the best kind is right."""
    values = np.array(msgspec.structs.astuple(seen))
    sure = 1.0 / (1.0 + math.exp(-weights()[type(seen).__name__.lower()].height(values)))
    return min(sure, DOUBT) if undecided(seen) or guessed(seen) else sure


def undecided(seen: Evidence) -> bool:
    """Whether another kind is as likely, or too little is in sight to tell."""
    if isinstance(seen, Closer):
        return seen.ahead < EVEN_CLOSELY or seen.bare < BARE
    return seen.gap < EVEN


def guessed(seen: Evidence) -> bool:
    """Whether what tells it from the next may lie under what covers a part of it: it has to be further ahead then."""
    return isinstance(seen, Closer) and seen.hidden > seen.glare and seen.ahead * seen.telling < EVEN_CLOSELY


def products(values: Row) -> Row:
    """Each value, and each product of two; ... x n to ... x (n + n (n + 1) / 2)."""
    near = np.clip(values, -FAR, FAR)
    one, other = _pairs(near.shape[-1])
    return np.concatenate([near, near[..., one] * near[..., other]], axis=-1)


@cache
def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.triu_indices(count)


class Weights:
    """A fit, ready to be used."""

    def __init__(self, fit: Fit) -> None:
        self._centre, self._spread, self._weights = np.array(fit.centre), np.array(fit.spread), np.array(fit.weights)
        self._offset = fit.offset
        self._forest = None if fit.trees is None else Forest(fit.trees)

    def height(self, values: Row) -> float:
        """Logarithm of the odds."""
        plain = float(products((values - self._centre) / self._spread) @ self._weights) + self._offset
        return plain if self._forest is None else (plain + self._forest.height(values)) / 2


@cache
def weights() -> dict[str, Weights]:
    """The fits that the program came with, by the name of the evidence. Raises BadFile."""
    fits = msgspec.json.decode(read_model(FITS), type=dict[str, Fit])
    return {kind: Weights(fit) for kind, fit in fits.items()}
