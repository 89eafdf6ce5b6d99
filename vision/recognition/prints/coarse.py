"""The coarse look at a crop of a print: in which turn, and off by how much, it agrees with small references."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import turns
from vision.recognition.correlation import alike
from vision.recognition.index import Symmetry
from vision.recognition.prints.format import Format, Shift
from vision.recognition.prints.laying import turned
from vision.recognition.prints.outline import disc, inside

Floats = npt.NDArray[np.float32]
View = tuple[float, Shift]
"""How a crop was turned, in degrees, and shifted, in pixels, when it was seen to agree with a print."""

LONG, ROUND = 112, 60
"""Pixels of a card's longer side and of a token, as they are compared."""

CARD = 0.95
"""Shorter over longer side of a picture below which it shows a card."""

SHIFTS = tuple((dx, dy) for dx in (-5, 0, 5) for dy in (-8, -4, 0, 4, 8))
"""Pixels by which a crop may be off."""


class Coarse:
    """For prints of one shape. aspect: their shorter over their longer side.

    part: which pixels of a print are compared, 0/1. turns: degrees in which a crop may lie.
    """

    def __init__(self, aspect: float, symmetry: Symmetry) -> None:
        self.long = aspect < CARD
        """Whether the prints are cards', not tokens'."""
        size = (round(LONG * aspect), LONG) if self.long else (ROUND, ROUND)
        self.format = Format(size)
        self.part = inside(size) if self.long else disc(size)
        self.turns = turns(symmetry, self.long)
        self._shifts = SHIFTS if self.long else ((0, 0),)

    def best_view(self, small: Floats, picture: Floats, mask: Image | None, turn: float) -> tuple[Floats, list[Shift]]:
        """How well a crop that was turned by so much agrees with each small reference, and at which shift best."""
        back = turned(picture, turn)
        size = picture.shape[1::-1]
        view = np.asarray(cv2.warpAffine(picture, back, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
        seen = np.ones(picture.shape[:2], np.float32)
        if mask is not None:
            seen = np.asarray(cv2.warpAffine(mask.astype(np.float32), back, size), np.float32)
        found = []
        for shift in self._shifts:
            weight = self.format.reduced(self.format.inner(seen, shift) * self.part)
            found.append(alike(small, self.format.reduced(self.format.inner(view, shift)), weight))
        fits = np.asarray(found, np.float32)
        return np.asarray(fits.max(axis=0), np.float32), [self._shifts[int(best)] for best in fits.argmax(axis=0)]
