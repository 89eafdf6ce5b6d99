"""The image pyramid of one picture: gray, half and quarter size, each made when first asked for."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image
from vision.cameras.small import halved


class Pyramid:
    """A frame's picture (BGR or gray). shrink: 1, 2 or 4, how many pixels across become one."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self._colour = {1: image}
        self._gray: dict[int, Image] = {}

    def colour(self, shrink: int = 1) -> Image:
        """The picture, averaged down."""
        if shrink not in self._colour:
            self._colour[shrink] = halved(self.colour(shrink // 2))
        return self._colour[shrink]

    def gray(self, shrink: int = 1) -> Image:
        """The same in gray."""
        if shrink not in self._gray:
            colour = self.colour(shrink)
            gray = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY) if colour.ndim == 3 else colour
            self._gray[shrink] = np.asarray(gray, np.uint8)
        return self._gray[shrink]
