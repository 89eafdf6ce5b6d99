"""Measures a picture's sharpness and exposure."""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2

from vision.camera import Image

BURNT = (250, 250, 250)


class Traits(NamedTuple):
    """edges: log step between pixels over contrast; contrast: log spread over mean; burnt: share of white pixels."""

    edges: float
    contrast: float
    burnt: float


def traits(picture: Image) -> Traits:
    """Measure a canonical picture."""
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    across = cv2.mean(cv2.absdiff(gray[:, 1:], gray[:, :-1]))[0]
    down = cv2.mean(cv2.absdiff(gray[1:], gray[:-1]))[0]
    mean, spread = (float(value[0, 0]) for value in cv2.meanStdDev(gray))
    burnt = cv2.countNonZero(cv2.inRange(picture, BURNT, (255, 255, 255))) / gray.size
    return Traits(math.log((across + down) / (spread + 2) + 1e-3), math.log((spread + 2) / (mean + 5)), burnt)
