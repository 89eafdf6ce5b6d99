"""The small gray stream, made from the picture where a camera has none of its own."""

from __future__ import annotations

import cv2

from vision.camera import Image

SMALL_WIDTH = 320


def small_gray(image: Image) -> Image:
    """A gray picture 320 pixels wide, averaged down, so that most of the noise is gone."""
    height, width = image.shape[:2]
    size = (SMALL_WIDTH, max(1, round(height * SMALL_WIDTH / width)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if width > SMALL_WIDTH else image
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small  # type: ignore[return-value]  # cv2 stubs
