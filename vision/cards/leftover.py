"""Remembers unidentified changes for further looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from vision.camera import Image
from vision.cards.comparing import DIRTY, GAP, RestComparison
from vision.finding.quad import Quad
from vision.tracking.looks import Look

LOOKS = 3
"""Further looks; light and noise vary."""


class Leftover:
    """Changes that no card explains."""

    def __init__(self) -> None:
        self._mask: Image | None = None
        self._objects = np.zeros((0, 0), np.uint8)
        """Detections among them that were not read."""
        self._looks = 0

    def forget(self) -> None:
        """Forget all changes."""
        self._mask, self._looks = None, 0

    def remind(self, work: RestComparison) -> None:
        """Add remembered changes to a comparison of equal size."""
        if self._mask is not None and self._mask.shape == work.strange.shape:
            work.strange = np.asarray(work.strange | self._mask, np.uint8)
            work.objects = self._objects

    def keep(self, work: RestComparison, lying: Iterable[Look], objects: Sequence[Quad] = ()) -> bool:
        """Store unexplained changes, for LOOKS rests at most; return True if stored. lying: visible cards; objects:
        non-cards."""
        left = work.strange.copy() if work.before is not None else np.zeros_like(work.strange)
        for look in lying:
            left &= work.on.mask(work.on.quad(look)) ^ 1
        left = self._solid(work, left)
        found = np.count_nonzero(left) <= DIRTY * work.on.area
        self._looks = 0 if found else self._looks + 1
        self._mask = None if found or self._looks > LOOKS else left
        before = work.objects if self._mask is not None else np.zeros_like(left)
        there = sum((work.on.mask(quad) for quad in objects), np.zeros_like(left)) > 0
        self._objects = np.asarray(before | (there & work.strange), np.uint8)
        return self._mask is not None

    def _solid(self, work: RestComparison, left: Image) -> Image:
        kernel = np.ones((GAP, GAP), np.uint8)
        left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, kernel), np.uint8)
        if np.count_nonzero(left) <= DIRTY * work.on.area:
            return left
        return np.asarray(left & work.solid(), np.uint8)
