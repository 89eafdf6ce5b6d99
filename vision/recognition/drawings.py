"""Keeps the lines of references, worked out when first asked for: most pieces of a set are never in doubt."""

from __future__ import annotations

import numpy as np

from vision.camera import Image
from vision.recognition.canonical import turned
from vision.recognition.closeness import SOFT, AlignedLines, ReferenceLines, Rows, reference, softness, strength
from vision.recognition.gallery import Gallery

KEPT = 128
"""References whose lines are kept, those of a table's pieces and their twins: 0.16 megabytes each, 20 when full. Twice
as many spare 1% of the time, even where 81 kinds come in any order; a board of 512 megabytes may hold several sets."""


class Drawings:
    """Of the views of one gallery."""

    def __init__(self, stock: Gallery) -> None:
        self._stock = stock
        self._lines: dict[tuple[int, int], ReferenceLines] = {}
        self._strengths: dict[int, Rows] = {}

    def picture(self, view: int) -> Image:
        """The reference of a view, in the view's turn."""
        number, turn = divmod(view, len(self._stock.turns))
        picture, angle = self._stock.pictures[number], self._stock.turns[turn]
        return turned(picture, angle) if angle else picture

    def lines(self, view: int, soft: int) -> ReferenceLines:
        """Those of a view that is blurred by one of SOFT."""
        known = self._lines.pop((view, soft), None)
        found = reference(self.picture(view), soft) if known is None else known
        self._lines[view, soft] = found
        if len(self._lines) > KEPT:
            del self._lines[next(iter(self._lines))]
        return found

    def softness(self, crop: AlignedLines, view: int) -> int:
        """By which of SOFT a view has to be blurred to be as soft as the crop that lies over it."""
        number = view // len(self._stock.turns)
        if number not in self._strengths:
            picture = self._stock.pictures[number]
            self._strengths[number] = np.array([strength(reference(picture, soft)) for soft in range(len(SOFT))])
        return softness(crop, self._strengths[number])
