"""The form of a face without its colours: which turns of it look alike, and how well two faces fit over each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import SIDE, canonical, turned

Floats = npt.NDArray[np.float32]

INNER = 0.36
"""Radius of what is compared, in parts of a picture's side."""

BLANK = 0.09
"""Levels of a blank face differ by less, in parts of its brightness."""

SAME = 0.93
"""Correlation of a face with itself, turned, from which the turn is not seen."""

NEARLY_BEST = 0.02
"""Of several counts of turns the greatest is meant that fits by no more than this worse than the best."""

FOLDS = (8, 6, 5, 4, 3, 2)
EVERY = 0
"""Of a face that looks alike in every turn."""


def form(image: Image) -> Floats:
    """The inner part of a canonical picture in gray, its mean 0 and its spread 1."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    values = cv2.GaussianBlur(gray, (0, 0), 1.5)[inner()]
    return np.asarray((values - values.mean()) / (values.std() + 1e-3), np.float32)


def fits(one: Image, other: Image, turns: Sequence[float]) -> dict[float, float]:
    """How well a canonical picture fits over another in each turn, in degrees clockwise: a correlation."""
    plain = form(other)
    return {turn: float((form(turned(one, turn)) * plain).mean()) for turn in turns}


def symmetry(image: Image) -> int:
    """In how many turns a face looks alike: 1 if in none but its own, `EVERY` if in all, as a blank one does."""
    face = canonical(image)
    gray = cv2.GaussianBlur(cv2.cvtColor(face, cv2.COLOR_BGR2GRAY), (0, 0), 1.5)[inner()]
    low, high = np.percentile(gray, [3, 97])
    if high - low < BLANK * (float(gray.mean()) + 4.0):
        return EVERY
    if min(fits(face, face, range(15, 360, 15)).values()) >= SAME:
        return EVERY
    least = {fold: min(fits(face, face, [360.0 * n / fold for n in range(1, fold)]).values()) for fold in FOLDS}
    best = max(least.values())
    return next((fold for fold in FOLDS if least[fold] >= max(SAME, best - NEARLY_BEST)), 1)


def nearest(pictures: Mapping[str, Sequence[Image]], count: int) -> tuple[str, ...]:
    """The kinds whose forms are most alike, pair by pair, in their own order."""
    kinds = list(pictures)
    forms = np.stack([form(canonical(pictures[kind][0])) for kind in kinds])
    likeness = np.triu(forms @ forms.T, 1)
    chosen: dict[int, None] = {}
    for place in np.argsort(-likeness, axis=None, kind="stable").tolist():
        pair = divmod(place, len(kinds))
        if len({*chosen, *pair}) <= count:
            chosen |= dict.fromkeys(pair)
        if len(chosen) == count:
            break
    return tuple(kinds[number] for number in sorted(chosen))


@cache
def inner() -> npt.NDArray[np.bool_]:
    """Mask of a canonical picture: what every piece covers, whatever its outline."""
    rows, columns = np.indices((SIDE, SIDE)) - (SIDE - 1) / 2
    return np.asarray(np.hypot(rows, columns) < INNER * SIDE, np.bool_)
