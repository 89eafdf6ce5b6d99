"""Names the pieces of a set together, where each kind is there once.

A kind that one piece has is ruled out for the others, so it raises their other odds. The probabilities of all
one-to-one assignments are summed by belief propagation (Williams and Lau, Approximate evaluation of marginal
association probabilities with belief propagation, 2014).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from vision.recognition.check_round import USUAL
from vision.recognition.confidence import STRANGE, odds
from vision.recognition.naming import Naming

Rows = npt.NDArray[np.float64]

RARE = 0.05
"""Strangers among the pieces of a table, in parts of those among the pictures on which confidence was fitted."""

SETTLED, MOST_ROUNDS = 1e-6, 200
"""Relative change of the messages at which they are final, and most rounds of them."""

ENOUGH = USUAL / (USUAL + (1 - USUAL) * (1 - STRANGE + STRANGE * RARE))
"""Joint probability of a name that the piece has alone: that of a lone piece at the usual threshold."""

SUPPORTED = 0.97
"""Joint probability of a name that only the other pieces give: two errors can support each other."""


def named_together(namings: Sequence[Naming], single: Collection[str]) -> list[Naming]:
    """Return the namings, revised by each other.

    A name that others claim too is dropped; a piece that can be nothing else is named.
    single: kinds that are there once; others, such as blank backs, repeat.
    """
    known = [_odds(naming) for naming in namings]
    kinds = sorted({kind for each in known for kind in each})
    ratios = np.array([[each.get(kind, 0.0) for kind in kinds] for each in known]).reshape(len(known), len(kinds))
    chances = assign_kinds(ratios / RARE, np.array([kind in single for kind in kinds], np.bool_))
    return [
        _apply_chances(naming, dict(zip(kinds, map(float, row), strict=True)))
        for naming, row in zip(namings, chances, strict=True)
    ]


def _odds(naming: Naming) -> Mapping[str, float]:
    known = {one.kind: one.odds for one in naming.candidates}
    return known or odds_of(naming.kind, naming.confidence)


def odds_of(kind: str | None, sure: float) -> Mapping[str, float]:
    """Map a kind to its odds from its probability `sure`; empty without a kind."""
    return {} if kind is None else {kind: odds(sure)}


def _apply_chances(naming: Naming, chances: Mapping[str, float]) -> Naming:
    if not naming.candidates:
        kept = naming.kind is not None and chances[naming.kind] >= min(ENOUGH, naming.confidence)
        return naming if kept else msgspec.structs.replace(naming, kind=None)
    best = max(naming.candidates, key=lambda one: chances[one.kind])
    told = msgspec.structs.replace(naming, kind=None, guess=best.kind, angle_deg=best.angle_deg)
    if chances[best.kind] < (ENOUGH if best.kind == naming.kind else SUPPORTED):
        return told
    return msgspec.structs.replace(told, kind=best.kind, confidence=chances[best.kind])


def assign_kinds(ratios: Rows, single: npt.NDArray[np.bool_]) -> Rows:
    """Return the probability of each kind for each piece, where no two are of one `single` kind.

    ratios: pieces x kinds, likelihood relative to being none of them. single: flags by kind.
    """
    free = np.ones_like(ratios)
    for _ in range(MOST_ROUNDS):
        claimed = ratios * free
        claims = ratios / (1 + claimed.sum(axis=1, keepdims=True) - claimed)
        after = np.where(single, 1 / (1 + claims.sum(axis=0, keepdims=True) - claims), 1.0)
        change = np.abs(after / free - 1).max(initial=0.0)
        free = after
        if change < SETTLED:
            break
    claimed = ratios * free
    return np.asarray(claimed / (1 + claimed.sum(axis=1, keepdims=True)), np.float64)
