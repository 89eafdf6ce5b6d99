"""Finds the rim of a piece in a picture that somebody cropped by hand."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image
from vision.finding import discs
from vision.finding.measuring import RIM

SIDE = 160
"""Longer side in pixels of the picture that is searched."""

LEAST, MOST, STEP = 0.3, 0.56, 1.05
"""Radii tried, in longer sides of the picture, and their ratio; a fit reaches about 7 %."""

ASIDE = 0.06
"""Distance between the centres tried, in longer sides."""

EVENED, PLAIN = 32, 8
"""Side of a picture without noise; gray levels by which a drawing's ground may differ along its border."""


def shows_rim(image: Image) -> bool:
    """Return True if a disc with a visible rim fills a photograph."""
    gray = _gray(image, SIDE / max(image.shape[:2]))
    room = round((MOST - 0.5) * SIDE) + 1
    edges = discs.edges_of(np.asarray(cv2.copyMakeBorder(gray, room, room, room, room, cv2.BORDER_REPLICATE), np.uint8))
    height, width = gray.shape
    middle = np.array([width / 2 + room, height / 2 + room])
    centres = [middle + np.array([x, y]) * ASIDE * SIDE for x in (0, -1, 1) for y in (0, -1, 1)]
    radii = np.geomspace(LEAST, MOST, 1 + round(np.log(MOST / LEAST) / np.log(STEP))) * SIDE
    fits = (discs.best_fit(edges, float(x), float(y), float(radius)) for radius in radii for x, y in centres)
    return any(fit is not None and fit.support >= RIM for fit in fits)


def is_drawing(image: Image) -> bool:
    """Return True if the border is of one colour, as in a drawing or a scan, where no rim shows."""
    small = without_noise(image)
    border = np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])
    low, high = np.percentile(border, (1, 99), axis=0)
    return bool((high - low < PLAIN).all())


def without_noise(image: Image) -> Image:
    """Return a small picture in which noise is averaged out."""
    return np.asarray(cv2.resize(image, (EVENED, EVENED), interpolation=cv2.INTER_AREA), np.uint8)


def _gray(image: Image, scale: float) -> Image:
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(
        cv2.cvtColor(cv2.resize(image, None, fx=scale, fy=scale, interpolation=how), cv2.COLOR_BGR2GRAY), np.uint8
    )
