"""Takes the lamp's colour out of a crop that lies over a reference, before the two are compared closely.

The network was shown many lamps, but what tells near twins apart (pale stripes, a thin line) is lost in a colour cast.
"""

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
"""The factor by which a lamp may raise or lower a channel at most, brightness apart; what differs by more is paint."""

FEW = 0.2
"""Share of a picture that may be tinted less than the whole is taken to be."""

INNER = slice(4, 60, 3)
"""Rows and columns whose colours are compared: every third, without what may be the mat."""


def tint(picture: Image, over: Image) -> Tint:
    """What each channel of a canonical picture has to be multiplied by to look as its reference does, on the whole.

    Brightness is left as it is. Only what most of the picture has in common counts: a lamp tints all of it alike, and
    a gleam, a finger or other paint does not.
    """
    mine, theirs = (np.log(each[INNER, INNER].reshape(-1, 3) + np.float32(5)) for each in (picture, over))
    away = theirs - mine
    away -= away.mean(axis=1, keepdims=True)
    away.sort(axis=0)
    edge = round(FEW * len(away))
    common = np.maximum(away[edge], 0) + np.minimum(away[-1 - edge], 0)
    return np.asarray(np.exp(np.clip(common - common.mean(), -math.log(MOST), math.log(MOST))), np.float64)


def mildest(tints: Iterable[Tint]) -> Tint:
    """That of the kinds a crop may be which needs the least of a lamp: kinds that differ in colour stay apart."""
    return min(tints, key=lambda each: float(np.abs(np.log(each)).max()))


def balanced(picture: Image, gains: Tint) -> Image:
    """The picture without that tint, but for what is burnt: no lamp can be told from that."""
    even = cv2.transform(picture, np.diag(gains))
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    return np.asarray(cv2.copyTo(picture, burnt, even), np.uint8)
