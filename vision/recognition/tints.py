"""The colours that cards are printed on: backs are often told from faces by nothing else as surely."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from vision.recognition.enrolment import BACK

Floats = npt.NDArray[np.float32]

TINT, NEARER = 0.03, 0.6
"""How much the colours of backs and faces must differ for that, and how near, in parts of it, a crop's must be."""


class Tints:
    """Of each kind the shares of blue, green and red in the colour of its paper."""

    def __init__(self, tints: Mapping[str, Floats]) -> None:
        self._back = tints.get(BACK)
        faces = np.array([tint for kind, tint in tints.items() if kind != BACK])
        apart = np.linalg.norm(faces - self._back, axis=1) if self._back is not None and len(faces) else np.zeros(1)
        self._apart = float(apart.min())

    def is_back(self, tint: Floats) -> bool:
        """Whether a card has the colour of the backs, and faces have another."""
        if self._back is None or self._apart <= TINT:
            return False
        return float(np.linalg.norm(tint - self._back)) < NEARER * self._apart
