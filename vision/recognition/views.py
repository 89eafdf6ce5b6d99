"""Views of one reference: every turn that may occur. Rough crops need none: the network is used to them."""

from __future__ import annotations

import cv2

from vision.camera import Image
from vision.recognition.canonical import SIDE


def turned(image: Image, angle: float) -> Image:
    """The canonical picture turned clockwise; what comes in at the edges repeats them."""
    middle = SIDE / 2 - 0.5
    matrix = cv2.getRotationMatrix2D((middle, middle), -angle, 1.0)
    seen = cv2.warpAffine(image, matrix, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(image.dtype, copy=False)
