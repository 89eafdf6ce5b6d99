"""Caches the names of unmoved, unchanged pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from vision.camera import Image
from vision.finding.pieces import FoundPiece
from vision.finding.spots import alike
from vision.recognition.naming import Naming

SAME_MM, SAME_DEG = 1.0, 2.0
"""Tolerance of an unmoved piece."""

CHANGE = 0.14
"""Relative change of a pixel by noise."""


class CachedName(NamedTuple):
    """A piece with its uncorrected crop and name."""

    found: FoundPiece
    crop: Image
    naming: Naming


class NameCache:
    """Caches the certain names of a set's pieces."""

    def __init__(self) -> None:
        self._known: list[CachedName] = []

    def forget(self) -> None:
        self._known = []

    def recall(
        self, found: Sequence[FoundPiece], crops: Callable[[Sequence[FoundPiece]], Image]
    ) -> list[Naming | None]:
        """Return cached names of unchanged pieces, None for others; forget all not returned."""
        near = [next((old for old in self._known if _same(old.found, one)), None) for one in found]
        known = [old for old in near if old is not None]
        same = iter(alike(crops([old.found for old in known]), [old.crop for old in known], CHANGE))
        still = [old if old is not None and next(same) else None for old in near]
        self._known = [old for old in still if old is not None]
        return [None if old is None else old.naming for old in still]

    def keep(self, found: FoundPiece, crop: Image, naming: Naming) -> None:
        """Remember a piece's name, if it has a kind."""
        if naming.kind is not None:
            self._known.append(CachedName(found, crop, naming))


def _same(one: FoundPiece, other: FoundPiece) -> bool:
    turned = abs((one.angle_deg - other.angle_deg + 180.0) % 360.0 - 180.0)
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)) < SAME_MM and turned < SAME_DEG
