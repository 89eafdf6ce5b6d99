"""Detects foreign objects: foreground not explained by pieces."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes
from vision.quantiles import median, medians

CONTRAST = 0.2
SHADOW = 0.55
EVEN = 0.08
LEAST_AREA_MM2 = 220.0
EDGE = 0.12
EDGE_SHARE = 0.4
"""Least step over three pixels of an outline: EDGE relative to the ground, EDGE_SHARE to the object's depth."""

LEAST_DEPTH = CONTRAST / 2
"""Least contrast with the surroundings; a lamp's light has less."""

LEAST_OUTLINE = 12
"""Least pixels of unobstructed outline."""

SAMPLES, LEAST_SAMPLES, LEAST_NEAR = 500, 50, 30
RIDGE = 1e-6
"""Regularises planes and divisions."""

OFFSET = 4.0
"""Added to levels against dark noise."""

Floats = npt.NDArray[np.float32]


class Blob(msgspec.Struct, frozen=True):
    """A foreign object in millimetres. reach: half its longer side."""

    x_mm: float
    y_mm: float
    area_mm2: float
    reach_mm: float


class Region(msgspec.Struct, frozen=True):
    """An evenly printed part of the mat.

    part: bounding rectangle.
    inside: its pixels; None for all.
    samples: flattened indices.
    places: their relative x, y and ones (3 x samples).
    """

    part: tuple[slice, slice]
    inside: npt.NDArray[np.bool_] | None
    samples: npt.NDArray[np.intp]
    places: Floats


def regions_of(masks: Sequence[npt.NDArray[np.bool_]]) -> list[Region]:
    """Return the regions of non-empty masks; later ones win overlaps."""
    regions: list[Region] = []
    before = np.zeros_like(masks[0])
    for mask in masks:
        rows, columns = np.nonzero(mask)
        if not len(rows):
            continue
        part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
        inside = mask[part] if (before & ~mask)[part].any() else None
        before |= mask
        height, width = mask.shape
        step = max(1, len(rows) // SAMPLES)
        rows, columns = rows[::step], columns[::step]
        places = np.stack([columns / width, rows / height, np.ones(len(rows))]).astype(np.float32)
        regions.append(Region(part, inside, rows * width + columns, places))
    return regions


class BlobFinder:
    """Finds foreign objects on coarse BGR sheets.

    masks: evenly printed parts; later ones win overlaps.
    scale: pixels per millimetre.
    """

    def __init__(self, masks: Sequence[npt.NDArray[np.bool_]], scale: float, margin_mm: float) -> None:
        self._regions = regions_of(masks)
        self._even = np.asarray(np.any(masks, axis=0), np.uint8)
        self._scale, self._margin_mm = scale, margin_mm
        height, width = self._even.shape
        self._x = (np.arange(width, dtype=np.float32) / width)[None, :]
        self._y = (np.arange(height, dtype=np.float32) / height)[:, None]

    def find(self, coarse: Image, explained: Image) -> list[Blob]:
        """Return unexplained objects, large and sharply outlined. explained: mask (0/1) of found pieces."""
        bare = np.asarray(cv2.subtract(self._even, explained), np.uint8)
        standing = self._standing_out(coarse, explained) & bare
        over = cv2.morphologyEx(standing, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        if cv2.countNonZero(over) < LEAST_AREA_MM2 * self._scale**2:
            return []
        count, labels, stats, centres = cv2.connectedComponentsWithStats(over, connectivity=8)
        blobs: list[Blob] = []
        for label in range(1, count):
            area = float(stats[label, cv2.CC_STAT_AREA]) / self._scale**2
            if area >= LEAST_AREA_MM2 and _sharp(coarse, np.asarray(labels == label, np.uint8), bare):
                x, y = (centres[label] + 0.5) / self._scale - self._margin_mm
                reach = max(stats[label, cv2.CC_STAT_WIDTH], stats[label, cv2.CC_STAT_HEIGHT]) / 2 / self._scale
                blobs.append(Blob(float(x), float(y), area, float(reach)))
        return blobs

    def _standing_out(self, coarse: Image, explained: Image) -> Image:
        lights = np.array(cv2.split(coarse), np.float32)
        lights += np.float32(OFFSET)
        grounds = lights.copy()
        for region in self._regions:
            plane = self._ground(coarse, region, explained)
            part = (slice(None), *region.part)
            value = lights[part] if plane is None else self._sloping(plane, region.part)
            np.copyto(grounds[part], value, where=True if region.inside is None else region.inside)
        low, high = extremes(np.divide(lights, grounds, out=lights))
        shadow = (high < 1 + EVEN) & (low > SHADOW) & (high - low < EVEN)
        return np.asarray(((high > 1 + CONTRAST) | (low < 1 - CONTRAST)) & ~shadow, np.uint8)

    def _sloping(self, plane: Floats, part: tuple[slice, slice]) -> Floats:
        right, up, constant = plane[..., None, None]
        level = right * self._x[:, part[1]] + (up * self._y[part[0]] + constant)
        return np.asarray(np.maximum(level, 1.0, out=level), np.float32)

    def _ground(self, coarse: Image, region: Region, explained: Image) -> Floats | None:
        free = explained.take(region.samples) == 0
        samples = region.samples[free]
        if len(samples) < LEAST_SAMPLES:
            return None
        values = coarse.reshape(-1, 3).take(samples, axis=0).T + np.float32(OFFSET)
        return _plane(np.concatenate([region.places[:, free], values]))


def _sharp(coarse: Image, part: Image, bare: Image) -> bool:
    """Return True if an object clearly differs from the ground and its free outline is mostly sharp; reflections' are
    soft. coarse: BGR sheet; part: the object's mask; bare: mask of free ground.
    """
    left, top, width, height = cv2.boundingRect(part)
    low = max(0, top - 6), max(0, left - 6)
    window = slice(low[0], top + height + 6), slice(low[1], left + width + 6)
    gray, inside = cv2.GaussianBlur(coarse[window].mean(axis=2, dtype=np.float32) + OFFSET, (0, 0), 1.0), part[window]
    open_to = np.asarray(cv2.erode(bare[window], np.ones((7, 7), np.uint8), borderValue=0), np.bool_)
    near, far = (np.asarray(cv2.dilate(inside, np.ones((side, side), np.uint8)), np.bool_) for side in (5, 9))
    around = far & ~near & (bare[window] > 0)
    outline = (inside > np.asarray(cv2.erode(inside, np.ones((3, 3), np.uint8)), np.uint8)) & open_to
    if not around.any() or np.count_nonzero(outline) < LEAST_OUTLINE:
        return False
    ground = median(gray[around])
    depth = float(np.percentile(np.abs(gray[inside > 0] / ground - 1), 75))
    (right, down), (x, y) = _slopes(gray), _slopes(cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 2.0))
    slope = np.abs(right * x + down * y)[outline] / np.maximum(np.hypot(x, y)[outline], RIDGE)
    step = 3 * median(slope) / ground
    return depth > LEAST_DEPTH and step > max(EDGE, EDGE_SHARE * depth)


def _slopes(gray: cv2.typing.MatLike) -> tuple[Floats, Floats]:
    right, down = cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=1 / 8)
    return np.asarray(right, np.float32), np.asarray(down, np.float32)


def _plane(samples: Floats) -> Floats:
    """Fit planes around the commonest colour: 3 x channels. samples: 6 x N."""
    places, values = samples[:3], samples[3:]
    plane = np.zeros((3, 3), np.float32)
    plane[2] = medians(values)
    for near in (0.35, 0.2, 0.12):
        expected = np.maximum(plane.T @ places, np.float32(1))
        close = np.abs(values - expected) < np.float32(near) * expected
        good = close[0] & close[1] & close[2]
        count = np.count_nonzero(good)
        if count < LEAST_NEAR:
            break
        # Least squares over all three channels at once; only near samples count.
        sums = (places * good) @ samples.T
        normal = sums[:, :3] + np.float32(RIDGE * count) * np.eye(3, dtype=np.float32)
        plane = np.asarray(cv2.solve(normal, sums[:, 3:])[1], np.float32)
    return plane
