"""Removes the lamp's colour from an aligned crop, which hides differences of near twins."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.covered import BURNT

Tint = npt.NDArray[np.float64]

MOST = 1.25
"""Largest factor of a lamp on a channel; more is paint."""

FEW = 0.2
"""Share of a picture that may be tinted less."""

INNER = slice(4, 60, 3)
"""Rows and columns compared, without the mat."""


def tint(picture: Image, over: Image) -> Tint:
    """Return the channel factors towards the reference, without brightness: the tint common to most of the picture."""
    mine, theirs = (np.log(each[INNER, INNER].reshape(-1, 3) + np.float32(5)) for each in (picture, over))
    away = theirs - mine
    away -= away.mean(axis=1, keepdims=True)
    away.sort(axis=0)
    edge = round(FEW * len(away))
    common = np.maximum(away[edge], 0) + np.minimum(away[-1 - edge], 0)
    return np.asarray(np.exp(np.clip(common - common.mean(), -math.log(MOST), math.log(MOST))), np.float64)


def mildest(tints: Iterable[Tint]) -> Tint:
    """Return the weakest tint, so that kinds of different colours stay distinct."""
    return min(tints, key=lambda each: float(np.abs(np.log(each)).max()))


def balanced(picture: Image, gains: Tint) -> Image:
    """Remove a tint, except where clipped."""
    even = cv2.transform(picture, np.diag(gains))
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    return np.asarray(cv2.copyTo(picture, burnt, even), np.uint8)
