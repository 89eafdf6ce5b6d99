"""Caches reference lines and keypoints on demand."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.canonical import turned
from vision.recognition.closeness import (
    SOFT,
    AlignedLines,
    ReferenceLines,
    Rows,
    drawn,
    placed,
    reference,
    softness,
    strength,
)
from vision.recognition.gallery import Gallery
from vision.recognition.keypoints import Keypoints, agreement, keypoints

KEPT = 128
"""Most cached references, 0.16 MB each; more hardly help."""


class Drawings:
    """Lines of a gallery's views, and keypoints of its references."""

    def __init__(self, stock: Gallery) -> None:
        self._stock = stock
        self._lines: dict[tuple[int, int], ReferenceLines] = {}
        self._strengths: dict[int, Rows] = {}
        self._keypoints: dict[tuple[int, int], Keypoints] = {}

    def picture(self, view: int) -> Image:
        """Return a view's turned reference."""
        number, turn = divmod(view, len(self._stock.turns))
        picture, angle = self._stock.pictures[number], self._stock.turns[turn]
        return turned(picture, angle) if angle else picture

    def lines(self, view: int, soft: int) -> ReferenceLines:
        """Return a view's lines, blurred by SOFT[soft]."""
        known = self._lines.pop((view, soft), None)
        found = reference(self.picture(view), soft) if known is None else known
        self._lines[view, soft] = found
        if len(self._lines) > KEPT:
            del self._lines[next(iter(self._lines))]
        return found

    def softness(self, crop: AlignedLines, view: int) -> int:
        """Return the index in SOFT that makes a view like the crop."""
        number = view // len(self._stock.turns)
        if number not in self._strengths:
            picture = self._stock.pictures[number]
            self._strengths[number] = np.array([strength(reference(picture, soft)) for soft in range(len(SOFT))])
        return softness(crop, self._strengths[number])

    def agreement(self, crop: Image, view: int) -> float | None:
        """Return how well the keypoints of a canonical crop agree with a view's reference, blurred like the crop.

        None if too few keypoints are left in it.
        """
        number = view // len(self._stock.turns)
        soft = self.softness(placed(drawn(crop), self.lines(view, 0)), view)
        if (number, soft) not in self._keypoints:
            self._keypoints[number, soft] = keypoints(self._blurred(number, soft))
        return agreement(keypoints(crop), self._keypoints[number, soft])

    def _blurred(self, number: int, soft: int) -> Image:
        picture = self._stock.pictures[number]
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT[soft]), np.uint8) if SOFT[soft] else picture
