"""Compares faces without colour, turn by turn: symmetry of one face, likeness of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import SIDE, canonical, turn_canonical

Floats = npt.NDArray[np.float32]

INNER = 0.36
"""Radius compared, in sides."""

BLANK = 0.09
"""Relative contrast of a blank face."""

SAME = 0.93
"""Correlation of an invisible turn."""

NEARLY_BEST = 0.02
"""Loss at which a higher symmetry is preferred."""

FOLDS = (8, 6, 5, 4, 3, 2)
EVERY = 0
"""Symmetry in all turns."""


def form(image: Image) -> Floats:
    """Return a canonical picture's inner gray part, normalised."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    values = cv2.GaussianBlur(gray, (0, 0), 1.5)[inner()]
    return np.asarray((values - values.mean()) / (values.std() + 1e-3), np.float32)


def fits(one: Image, other: Image, turns: Sequence[float]) -> dict[float, float]:
    """Return the correlation by turn, degrees clockwise."""
    plain = form(other)
    return {turn: float((form(turn_canonical(one, turn)) * plain).mean()) for turn in turns}


def symmetry(image: Image) -> int:
    """Return the number of turns that look alike; 1 for none, `EVERY` for all."""
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
    """Return `count` kinds, of the most similar pairs, in set order."""
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
    """Return the mask that every piece covers."""
    rows, columns = np.indices((SIDE, SIDE)) - (SIDE - 1) / 2
    return np.asarray(np.hypot(rows, columns) < INNER * SIDE, np.bool_)
