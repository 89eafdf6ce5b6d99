"""Objects on the mat that are no piece: what stands out from the ground and is not explained by the pieces found."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes

CONTRAST = 0.2
SHADOW = 0.55
EVEN = 0.08
LEAST_AREA_MM2 = 220.0
EDGE = 0.08
EDGE_SHARE = 0.4
"""Least step across three pixels of an object's outline, over the ground's brightness and over the object's depth."""

LEAST_OUTLINE = 12
"""So many pixels of the outline must lie in the open."""

SAMPLES = 600

Floats = npt.NDArray[np.float32]


class Blob(msgspec.Struct, frozen=True):
    """Something on the mat: its centre, area and reach (half of its longer side), in millimetres."""

    x_mm: float
    y_mm: float
    area_mm2: float
    reach_mm: float


def find_blobs(
    coarse: Image, regions: Sequence[npt.NDArray[np.bool_]], explained: Image, scale: float, margin_mm: float
) -> list[Blob]:
    """Unexplained objects in a coarse BGR sheet.

    regions: masks of evenly printed parts of the mat; each has its own ground, a plane of brightness a channel.
    explained: mask (0 or 1) of what the found pieces cover. scale: pixels a millimetre.
    """
    light = coarse.astype(np.float32) + 4.0
    over = np.zeros(coarse.shape[:2], np.uint8)
    for region in regions:
        rows, columns = np.nonzero(region.any(axis=1))[0], np.nonzero(region.any(axis=0))[0]
        if len(rows):
            part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
            over[part] |= _stands_out(light[part], region[part], region[part] & (explained[part] == 0))
    bare = np.asarray(np.any(regions, axis=0) & (explained == 0), np.uint8)
    over[explained > 0] = 0
    over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    count, labels, stats, centres = cv2.connectedComponentsWithStats(over, connectivity=8)
    blobs: list[Blob] = []
    for label in range(1, count):
        area = float(stats[label, cv2.CC_STAT_AREA]) / scale**2
        if area >= LEAST_AREA_MM2 and _sharp(light, np.asarray(labels == label, np.uint8), bare):
            x, y = (centres[label] + 0.5) / scale - margin_mm
            reach = max(stats[label, cv2.CC_STAT_WIDTH], stats[label, cv2.CC_STAT_HEIGHT]) / 2 / scale
            blobs.append(Blob(float(x), float(y), area, float(reach)))
    return blobs


def _sharp(light: Floats, part: Image, bare: Image) -> bool:
    """True if most of the part's outline is an edge: a lamp's reflection and a far shadow fade instead.

    An object's outline is nearly as steep as the object is deep; a reflection is deep in its middle and has no outline.
    Only what lies in the open counts: where a part ends at a printed line or at a piece says nothing.
    """
    left, top, width, height = cv2.boundingRect(part)
    low = max(0, top - 6), max(0, left - 6)
    window = slice(low[0], top + height + 6), slice(low[1], left + width + 6)
    gray, inside = cv2.GaussianBlur(light[window].mean(axis=2), (0, 0), 1.0), part[window]
    open_to = np.asarray(cv2.erode(bare[window], np.ones((7, 7), np.uint8), borderValue=0), np.bool_)
    near, far = (np.asarray(cv2.dilate(inside, np.ones((side, side), np.uint8)), np.bool_) for side in (5, 9))
    around = far & ~near & (bare[window] > 0)
    outline = (inside > np.asarray(cv2.erode(inside, np.ones((3, 3), np.uint8)), np.uint8)) & open_to
    if not around.any() or np.count_nonzero(outline) < LEAST_OUTLINE:
        return False
    ground = float(np.median(gray[around]))
    depth = float(np.percentile(np.abs(gray[inside > 0] / ground - 1), 75))
    slope = np.hypot(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)) / 8
    step = 3 * float(np.median(slope[outline])) / ground
    return step > max(EDGE, EDGE_SHARE * depth)


def _stands_out(light: Floats, region: npt.NDArray[np.bool_], bare: npt.NDArray[np.bool_]) -> Image:
    """Pixels of a region that differ from its ground by more than a shadow."""
    rows, columns = np.nonzero(bare)
    if len(rows) < 50:
        return np.zeros(region.shape, np.uint8)
    step = max(1, len(rows) // SAMPLES)
    rows, columns = rows[::step], columns[::step]
    height, width = region.shape
    places = np.column_stack([columns / width, rows / height, np.ones(len(rows))]).astype(np.float32)
    ground = _ground(light[rows, columns], places)
    x = np.arange(width, dtype=np.float32)[None, :, None] / width
    y = np.arange(height, dtype=np.float32)[:, None, None] / height
    ratio = light / np.maximum(x * ground[0] + (y * ground[1] + ground[2]), 1.0)
    low, high = extremes(ratio)
    shadow = (high < 1 + EVEN) & (low > SHADOW) & (high - low < EVEN)
    return np.asarray(region & ((high > 1 + CONTRAST) | (low < 1 - CONTRAST)) & ~shadow, np.uint8)


def _ground(values: Floats, places: Floats) -> Floats:
    """Plane (x, y, constant; 3 x channels) through the commonest colour, refitted on what is near it."""
    plane = np.vstack([np.zeros((2, values.shape[1])), np.median(values, axis=0)]).astype(np.float32)
    for near in (0.35, 0.2, 0.12):
        expected = places @ plane
        good = (np.abs(values / np.maximum(expected, 1.0) - 1) < near).all(axis=1)
        if np.count_nonzero(good) < 30:
            break
        plane = np.linalg.lstsq(places[good], values[good], rcond=None)[0].astype(np.float32)
    return plane
