"""The small gray stream, made from the full picture if a camera does not provide one."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image

SMALL_WIDTH = 320


def halved(image: Image) -> Image:
    """The picture at half its size, each pixel the mean of four (an odd last row or column is left out)."""
    height, width = image.shape[:2]
    whole = image[: height // 2 * 2, : width // 2 * 2]
    return np.asarray(cv2.resize(whole, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)


def small_gray(image: Image) -> Image:
    """A gray picture 320 pixels wide, averaged down, so that most of the noise is gone."""
    small = image
    while small.shape[1] >= 2 * SMALL_WIDTH:  # by halves: much faster than all at once
        small = halved(small)
    height, width = image.shape[:2]
    size = (min(width, SMALL_WIDTH), max(1, round(height * min(1.0, SMALL_WIDTH / width))))
    if small.shape[1::-1] != size:
        small = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8) if small.ndim == 3 else small
