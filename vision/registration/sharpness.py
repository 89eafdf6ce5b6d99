"""Detects blurred pictures by markers' sharpness, which hardly varies within one view."""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.quantiles import medians
from vision.registration.lens import Points

Pair = npt.NDArray[np.float64]

BLURRED = 0.7
"""Share of usual sharpness of a blurred picture: about 1.5 pixels of blur."""

LASTING_S = 3.0
"""Seconds after which blur is taken as usual."""

NEWEST = 0.2
"""Weight of the newest picture."""

LEAST_PIXELS = 12


def sharpness(gray: Image, corners: Points) -> Pair | None:
    """Return edge energy across and down relative to contrast around a marker; None if too little of it is visible."""
    height, width = gray.shape[:2]
    x, y = corners.T.tolist()  # four numbers each: plain Python is quicker
    left, top = max(math.floor(min(x)) - 2, 0), max(math.floor(min(y)) - 2, 0)
    right, bottom = min(math.ceil(max(x)) + 3, width), min(math.ceil(max(y)) + 3, height)
    if min(right - left, bottom - top) < LEAST_PIXELS:
        return None
    part = gray[top:bottom, left:right]
    contrast = float(cv2.meanStdDev(part)[1][0, 0]) ** 2
    energy = [float(cv2.norm(slope, cv2.NORM_L2SQR)) for slope in cv2.spatialGradient(part)]
    return np.array(energy) / part.size / max(contrast, 1.0)


class Focus:
    """Usual sharpness of a view's markers. Replace it after a move."""

    def __init__(self) -> None:
        self._usual: dict[int, Pair] = {}
        self._since: float | None = None

    @property
    def blurred(self) -> bool:
        return self._since is not None

    def is_blurred(self, gray: Image, markers: Mapping[int, Points], at: float) -> bool:
        """Return True if much less sharp than usual, for LASTING_S at most; else update the usual. markers: corners, 4
        x 2 pixels."""
        now = {number: one for number, corners in markers.items() if (one := sharpness(gray, corners)) is not None}
        known = [one / self._usual[number] for number, one in now.items() if number in self._usual]
        if known and float(medians(np.array(known).T).min()) < BLURRED:
            self._since = at if self._since is None else self._since
            if at - self._since < LASTING_S:
                return True
            self._usual = {}
        self._since = None
        for number, one in now.items():
            usual = self._usual.setdefault(number, one)
            self._usual[number] = usual + NEWEST * (one - usual)
        return False
