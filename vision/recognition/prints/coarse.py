"""Finds a crop's approximate turn and shift by small references."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import turns
from vision.recognition.correlation import alike
from vision.recognition.index import Symmetry
from vision.recognition.prints.format import Format, Shift
from vision.recognition.prints.laying import turn_transform
from vision.recognition.prints.outline import disc, inside

Floats = npt.NDArray[np.float32]
View = tuple[float, Shift]
"""A crop's turn in degrees and shift in pixels."""

LONG, ROUND = 112, 60
"""Longer side of a card, and of a token, in pixels."""

CARD = 0.95
"""Aspect below which it is a card."""

SHIFTS = tuple((dx, dy) for dx in (-5, 0, 5) for dy in (-8, -4, 0, 4, 8))
"""Shifts tried in pixels."""


class Coarse:
    """Coarse search for prints of one aspect.

    part: compared pixels, 0/1.
    turns: degrees.
    """

    def __init__(self, aspect: float, symmetry: Symmetry) -> None:
        self.long = aspect < CARD
        """Cards rather than tokens."""
        size = (round(LONG * aspect), LONG) if self.long else (ROUND, ROUND)
        self.format = Format(size)
        self.part = inside(size) if self.long else disc(size)
        self.turns = turns(symmetry, self.long)
        across, down = ((whole - own) // 2 for whole, own in zip(self.format.crop, size, strict=True))
        within = tuple((x, y) for x, y in SHIFTS if abs(x) <= across and abs(y) <= down)  # a narrow card has less room
        self._shifts = within if self.long else ((0, 0),)

    def best_view(self, small: Floats, picture: Floats, mask: Image | None, turn: float) -> tuple[Floats, list[Shift]]:
        """Return each reference's best correlation at this turn, and its shift."""
        back = turn_transform(picture, turn)
        size = picture.shape[1::-1]
        view = np.asarray(cv2.warpAffine(picture, back, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
        seen = np.ones(picture.shape[:2], np.float32)
        if mask is not None:
            seen = np.asarray(cv2.warpAffine(mask.astype(np.float32), back, size), np.float32)
        found = []
        for shift in self._shifts:
            weight = self.format.reduce_print(self.format.inner(seen, shift) * self.part)
            found.append(alike(small, self.format.reduce_print(self.format.inner(view, shift)), weight))
        fits = np.asarray(found, np.float32)
        return np.asarray(fits.max(axis=0), np.float32), [self._shifts[int(best)] for best in fits.argmax(axis=0)]
