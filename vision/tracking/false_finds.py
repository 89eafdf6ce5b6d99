"""Rejects detections at unchanged places without pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.table import Face, Sight
from vision.tracking.looks import Look, Track

CHANGED = 0.15
"""Changed share of a place where a piece came."""

OFTEN = 3
"""Successive looks that prove an overlooked piece."""

SAME_MM, NEAR_MM = 2.0, 12.0
"""Distances of repeated detections, and to a known piece."""


class Newcomers:
    """Filters false detections."""

    def __init__(self) -> None:
        self._found: list[tuple[float, float, int]] = []

    def accept_looks(
        self, looks: Sequence[Look], known: Sequence[Track], changed: Callable[[float, float], float]
    ) -> list[Look]:
        """Return looks that are named, near known pieces, at changed places, or repeated OFTEN; all if no piece is
        known. changed(x, y): changed share."""
        sure, doubtful = list[Look](), list[Look]()
        for look in looks:
            named = look.sight is Sight.SEEN and look.face is Face.UP
            near = not known or any(_apart(look, track.look.x_mm, track.look.y_mm) < NEAR_MM for track in known)
            (sure if named or near or changed(look.x_mm, look.y_mm) > CHANGED else doubtful).append(look)
        self._found = [(look.x_mm, look.y_mm, 1 + self._times(look)) for look in doubtful]
        often = [look for look, (_, _, times) in zip(doubtful, self._found, strict=True) if times >= OFTEN]
        return [look for look in looks if look in sure or look in often]

    def _times(self, look: Look) -> int:
        return max((times for x, y, times in self._found if _apart(look, x, y) < SAME_MM), default=0)


def _apart(look: Look, x: float, y: float) -> float:
    return float(np.hypot(look.x_mm - x, look.y_mm - y))
