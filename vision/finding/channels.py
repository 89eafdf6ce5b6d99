"""Compares colour channels pixel by pixel."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Floats = npt.NDArray[np.float32]


def extremes(channels: Sequence[Floats] | Floats) -> tuple[Floats, Floats]:
    """Least and greatest of three channels, by pixel (much faster than numpy's along the last axis)."""
    first, second, third = channels
    low, high = cv2.min(first, second), cv2.max(first, second)
    cv2.min(low, third, dst=low)
    cv2.max(high, third, dst=high)
    return np.asarray(low, np.float32), np.asarray(high, np.float32)


def split(picture: Floats) -> list[Floats]:
    """The channels of a picture, each a plane of its own."""
    return [np.asarray(plane, np.float32) for plane in cv2.split(picture)]


def sum_channels(channels: Sequence[Floats]) -> Floats:
    """The sum of three channels, by pixel (much faster than numpy's along the last axis)."""
    first, second, third = channels
    return first + second + third


def greatest(picture: Image) -> Image:
    """The greatest of three channels, by pixel (much faster than numpy's along the last axis)."""
    first, second, third = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(first, second), third), np.uint8)
