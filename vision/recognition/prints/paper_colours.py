"""Distinguishes backs from faces by paper colour."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from vision.recognition.enrolment import BACK

Floats = npt.NDArray[np.float32]

TINT, NEARER, ASIDE = 0.03, 0.3, 0.5
"""Least colour difference; place on the way from faces to backs; most aside, for pale reflections."""


class Tints:
    """Paper colours by kind (B, G, R shares)."""

    def __init__(self, tints: Mapping[str, Floats]) -> None:
        back, faces = tints.get(BACK), np.array([tint for kind, tint in tints.items() if kind != BACK])
        self._told = back is not None and len(faces) > 0
        """Colours distinguish backs."""
        if back is None or not len(faces):
            return
        middle = np.median(faces, axis=0)
        way = back - middle
        self._way = way / max(1e-6, float(np.linalg.norm(way)))
        self._nearest = middle + self._way * max(0.0, float(((faces - middle) @ self._way).max()))
        self._apart = float((back - self._nearest) @ self._way)
        self._told = self._apart > TINT

    def is_back(self, tint: Floats) -> bool | None:
        """Return True if the colour is the backs' alone, False if it is no back's, not even a pale one's; else None."""
        if not self._told:
            return None
        off = tint - self._nearest
        along = float(off @ self._way)
        aside = float(np.linalg.norm(off - along * self._way))
        if along > NEARER * self._apart and aside < ASIDE * self._apart:
            return True
        return False if np.hypot(aside, min(along, 0.0)) > ASIDE * self._apart else None
