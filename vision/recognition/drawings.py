"""Caches reference lines and keypoints on demand."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.canonical import turned
from vision.recognition.closeness import SOFT, AlignedLines, ReferenceLines, Rows, reference, softness, strength
from vision.recognition.gallery import Gallery
from vision.recognition.keypoints import Keypoints, agreement, keypoints

ENOUGH = 1.0
"""Agreement of keypoints from which no other blur is tried."""

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
        """Return how well the keypoints of a canonical crop agree with a view's reference, in any turn.

        The reference is blurred until it agrees. None if it is too plain to compare.
        """
        number, here, best = view // len(self._stock.turns), keypoints(crop), None
        for soft in range(len(SOFT)):
            if (number, soft) not in self._keypoints:
                self._keypoints[number, soft] = keypoints(self._blurred(number, soft))
            found = agreement(here, self._keypoints[number, soft])
            if found is None:  # blurred further it is plainer still
                break
            best = found if best is None else max(best, found)
            if best >= ENOUGH:
                break
        return best

    def _blurred(self, number: int, soft: int) -> Image:
        picture = self._stock.pictures[number]
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT[soft]), np.uint8) if SOFT[soft] else picture
