"""Converts crops to a canonical size and orientation."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.index import Symmetry

SIDE = 64
"""Side of a canonical picture in pixels."""

DETAIL = 200
"""Side in pixels of the picture that is searched for keypoints."""

ELONGATED = 1.15
"""Aspect ratio of a card, whose outline leaves two turns."""


def aspect(image: Image) -> float:
    """Return longer over shorter side."""
    height, width = image.shape[:2]
    return float(max(height, width) / min(height, width))


def are_elongated(images: Iterable[Image]) -> bool:
    """Return True if most pictures are elongated."""
    return float(np.median([aspect(image) for image in images])) >= ELONGATED


def portrait(image: Image) -> tuple[Image, float]:
    """Return the picture turned upright, and the degrees clockwise."""
    height, width = image.shape[:2]
    if width <= height:
        return image, 0.0
    return cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE).astype(np.uint8, copy=False), 90.0


def canonical(image: Image) -> Image:
    """Resize to SIDE x SIDE x 3, BGR. Raises ValueError if empty."""
    if image.size == 0:
        raise ValueError("an empty picture shows no piece: crop it wider")
    shrinks = min(image.shape[:2]) >= SIDE
    scaled = cv2.resize(_in_colour(image), (SIDE, SIDE), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    return scaled.astype(np.uint8, copy=False)


def gray_detail(image: Image) -> Image:
    """Resize to DETAIL x DETAIL, gray."""
    shrinks = min(image.shape[:2]) >= DETAIL
    gray = cv2.cvtColor(_in_colour(image), cv2.COLOR_BGR2GRAY)
    scaled = cv2.resize(gray, (DETAIL, DETAIL), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return scaled.astype(np.uint8, copy=False)


def _in_colour(image: Image) -> Image:
    seen = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR) if image.ndim == 2 else image[:, :, :3]
    return seen.astype(np.uint8, copy=False)


def turns(symmetry: Symmetry, long: bool) -> tuple[float, ...]:
    """Return the turns (degrees clockwise) left open by symmetry and outline."""
    if symmetry == 1:
        return (0.0,)
    if long or symmetry == 2:
        return (0.0, 180.0)
    steps = 4 if symmetry == 4 else 24
    return tuple(360.0 * step / steps for step in range(steps))


def turn_canonical(image: Image, angle: float) -> Image:
    """Turn a canonical picture clockwise, replicating edges."""
    middle = SIDE / 2 - 0.5
    matrix = cv2.getRotationMatrix2D((middle, middle), -angle, 1.0)
    seen = cv2.warpAffine(image, matrix, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.astype(image.dtype, copy=False)
