"""Remembers searched places, so that unchanged ones are not searched again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.discs import Disc
from vision.quantiles import median, medians

CHANGE, LEAST_CHANGE = 0.05, 1.0
"""Tolerated change of averaged pixels, relative and in gray levels; half a pixel's motion exceeds it."""

NOISE = 8.0
"""Tolerated change in median differences, up to twice the above."""

NEAR = 3
"""Side of the averaging window."""

MOST = 120
"""Most remembered spots."""


class SheetSpot(NamedTuple):
    """A place in sheet pixels, its window, and the disc found there, if any."""

    place: tuple[float, float]
    window: Image
    disc: Disc | None


def nearest(spots: Sequence[SheetSpot], places: npt.NDArray[np.float64], reach: float) -> list[SheetSpot | None]:
    """Return each place's (N x 2) nearest spot within reach, or None."""
    if not spots or not len(places):
        return [None] * len(places)
    across = places[:, None, :] - np.array([spot.place for spot in spots])
    far = np.einsum("nsk,nsk->ns", across, across)
    best = far.argmin(axis=1)
    within = far[np.arange(len(places)), best] <= reach**2
    return [spots[n] if near else None for n, near in zip(best.tolist(), within.tolist(), strict=True)]


def remember_spots(spots: Sequence[SheetSpot], before: Sequence[SheetSpot]) -> list[SheetSpot]:
    """Return current spots and earlier ones of other places, at most MOST."""
    here = {spot.place for spot in spots}
    return [*spots, *(spot for spot in before if spot.place not in here)][:MOST]


def unchanged_spots(spots: Sequence[SheetSpot | None], windows: Sequence[Image]) -> list[SheetSpot | None]:
    """Return spots whose gray windows are unchanged but for light; None for others."""
    known = [n for n, spot in enumerate(spots) if spot is not None]
    kept: list[SheetSpot | None] = [None] * len(spots)
    if known:
        then = [spot.window for spot in spots if spot is not None]
        for n, same in zip(known, alike([windows[n] for n in known], then), strict=True):
            kept[n] = spots[n] if same else None
    return kept


def alike(windows: Sequence[Image] | Image, before: Sequence[Image], change: float = CHANGE) -> list[bool]:
    """Return True for windows (gray or BGR) unchanged but for light. change: see `CHANGE`."""
    if not before:
        return []
    values, now = before[0].size, np.concatenate(windows)
    apart = cv2.subtract(now, np.concatenate(before), dtype=cv2.CV_16S)
    sums = cv2.boxFilter(apart, cv2.CV_16S, (NEAR, NEAR), normalize=False).reshape(-1, values)
    light = medians(sums[:, ::7]).astype(np.int16)
    away = np.abs(sums - light[:, None])
    allowed = change * now.reshape(-1, values).mean(axis=1) + LEAST_CHANGE
    noise = NOISE * median(away[:, ::7]) / NEAR**2
    same: list[bool] = (away.max(axis=1) / NEAR**2 <= np.clip(noise, allowed, 2 * allowed)).tolist()
    return same
