"""Remembers where a disc was looked for and found: a place that looks as it did is not searched again."""

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
"""What a pixel, averaged with its neighbours, may differ by: in parts of the window's brightness, and in gray levels.

A piece that moves by half a pixel differs by more.
"""

NOISE = 8.0
"""Times the median difference of all windows, which is noise, that a pixel may differ by too; to twice as much."""

NEAR = 3
"""Pixels, across and down, that are averaged."""

MOST = 120
"""Spots that are remembered."""


class SheetSpot(NamedTuple):
    """A place of a sheet in pixels, the window of the picture around it, and the disc that was found there, if any."""

    place: tuple[float, float]
    window: Image
    disc: Disc | None


def nearest(spots: Sequence[SheetSpot], places: npt.NDArray[np.float64], reach: float) -> list[SheetSpot | None]:
    """Return the nearest spot to each place (N x 2), if one is within reach."""
    if not spots or not len(places):
        return [None] * len(places)
    across = places[:, None, :] - np.array([spot.place for spot in spots])
    far = np.einsum("nsk,nsk->ns", across, across)
    best = far.argmin(axis=1)
    within = far[np.arange(len(places)), best] <= reach**2
    return [spots[n] if near else None for n, near in zip(best.tolist(), within.tolist(), strict=True)]


def remember_spots(spots: Sequence[SheetSpot], before: Sequence[SheetSpot]) -> list[SheetSpot]:
    """Return the spots known now, with those of other places from before, which may only have got no vote this time."""
    here = {spot.place for spot in spots}
    return [*spots, *(spot for spot in before if spot.place not in here)][:MOST]


def unchanged_spots(spots: Sequence[SheetSpot | None], windows: Sequence[Image]) -> list[SheetSpot | None]:
    """Those spots whose windows (gray, all of one size) look as they did, under whatever light; None for the others."""
    known = [n for n, spot in enumerate(spots) if spot is not None]
    kept: list[SheetSpot | None] = [None] * len(spots)
    if known:
        then = [spot.window for spot in spots if spot is not None]
        for n, same in zip(known, alike([windows[n] for n in known], then), strict=True):
            kept[n] = spots[n] if same else None
    return kept


def alike(windows: Sequence[Image] | Image, before: Sequence[Image], change: float = CHANGE) -> list[bool]:
    """Return True for windows (gray or BGR, all of one size) that look as they did, under whatever light. change: see
    `CHANGE`."""
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
