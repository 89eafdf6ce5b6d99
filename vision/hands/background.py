"""Models the mat at rest without pieces and finds changes other than light."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes
from vision.picture_checks import SATURATED
from vision.quantiles import median, medians

SCALE = 0.5
"""Pixels per millimetre of the coarse sheet."""

OFFSET = 4.0
"""Added to levels against dark noise."""

CHANGE = 0.16
SHADOW = 0.6
"""Least brightness in a shadow, relative to rest."""

GRAIN = 0.07
"""Relative noise (standard deviation) from which pictures are smoothed."""

BURNT = np.float32(SATURATED + OFFSET)
"""Light of a clipped pixel."""

OF_NOISE = 1.65
"""Median second difference of noise, in standard deviations."""

GROUND_MM = (16.0, 24.0, 32.0, 40.0, 50.0, 60.0, 90.0)
"""Widths around a piece tried to estimate the mat below; reflections are as wide as hands."""

LEAST_BARE, LEAST_SHARE = np.float32(2.0), np.float32(0.1)
"""Bare pixels, and bare share of a width, required."""

SMOOTH_MM = 6.0
"""Radius separating shading from edges and print."""

FLAT, ALIKE, LEFT = 0.01, 0.5, 0.2
"""Relative step of noise; correlation of equal steps; share that remains in a shadow."""

CLEAR = 0.04
PART_MM, STEEPEST, PART_LEFT, PART = 4.0, 0.5, 0.5, 0.1
"""Recognition of a partly visible piece, by steps steeper than a shadow's: averaging radius; share of the steepest;
remaining share; share of places (measured: 0.18 with 6 mm visible, 0.02 at a shadow's edge)."""

Floats = npt.NDArray[np.float32]


def light_of(coarse: Image) -> Floats:
    """Return the levels plus OFFSET as planes: 3 x rows x columns."""
    light = np.array(cv2.split(coarse), np.float32)
    light += np.float32(OFFSET)
    return light


def smooth_image(light: Floats) -> Floats:
    return np.array([cv2.blur(plane, (3, 3)) for plane in light], np.float32)


def grain(light: Floats) -> float:
    """Return the relative noise (standard deviation), by each pixel's noisiest channel."""
    lines = light[:, ::4]
    left, here, right = lines[..., :-2:3], lines[..., 1:-1:3], lines[..., 2::3]
    steps = np.abs(left + right - 2 * here) / here
    return float(median(steps.max(axis=0))) / OF_NOISE


def inverse_of(light: Floats) -> Floats:
    """Return 1 / light."""
    return np.asarray(np.divide(np.float32(1.0), light), np.float32)


def ground_of(coarse: Image, light: Floats, pieces: Image) -> Floats:
    """Return the light, pieces replaced by the mean of bare surroundings."""
    at = np.flatnonzero(pieces.view(np.bool_))
    if not len(at):
        return light
    sums, room = _sum_pixels(coarse, pieces, round(GROUND_MM[-1] * SCALE))
    shown, left = np.ones((3, len(at)), np.float32), np.arange(len(at))
    for wide_mm in GROUND_MM:
        side = round(wide_mm * SCALE)
        around, count = _looked_up(sums, room - side // 2, side, at[left], pieces.shape[1])
        told = count >= (LEAST_SHARE * side * side if wide_mm < GROUND_MM[-1] else 0.0)
        mean = (around + np.float32(OFFSET) * count) / np.maximum(count, LEAST_BARE)
        shown[:, left[told]] = mean[:, told]
        left = left[~told]
    filled = light.copy()
    filled.reshape(3, -1)[:, at] = np.maximum(shown, 1.0)
    return filled


def _sum_pixels(coarse: Image, pieces: Image, side: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return integral sums of bare pixels and their count, and the border. side: of the largest square."""
    opaque = cv2.cvtColor(coarse, cv2.COLOR_BGR2BGRA)
    bare = cv2.bitwise_and(opaque, opaque, mask=np.asarray(1 - pieces, np.uint8))  # alpha 0: not counted
    before, behind = side // 2, side - 1 - side // 2
    bordered = cv2.copyMakeBorder(bare, before, behind, before, behind, cv2.BORDER_REFLECT_101)
    return np.asarray(cv2.integral(bordered), np.int32), before


def _looked_up(
    sums: npt.NDArray[np.int32], inset: int, side: int, at: npt.NDArray[np.intp], columns: int
) -> tuple[Floats, Floats]:
    """Return sums (3 x N) and bare counts of squares around pixels. inset: their offset in the bordered sheet."""
    wide = sums.shape[1]
    upper = (at // columns + inset) * wide + at % columns + inset
    lower = upper + side * wide
    pixels = sums.reshape(-1, 4)
    above, below = (pixels.take(row + side, axis=0) - pixels.take(row, axis=0) for row in (upper, lower))
    *channels, alpha = (below - above).T.astype(np.float32)
    return np.asarray(channels, np.float32), alpha / np.float32(255)


def steps_stay(now: Floats, before: Floats, ground: Floats, shown: Image) -> bool:
    """Return True if a piece's steps (edges, print) are still visible, even in shadow.

    now: current light; before, ground: reciprocals of the earlier light and bare mat, 3 x rows x columns; shown: 0/1,
        without hands.
    """
    weights = shown.astype(np.float32)
    then, today = (_steps(np.log(light * ground).mean(axis=0), weights) for light in (1 / before, now))
    pairs = (then, today), (then, then), (today, today)
    both, of_then, of_today = (float((one * other).sum()) for one, other in pairs)
    if of_then <= FLAT * FLAT * float(weights.sum()):
        return False
    if both > ALIKE * np.sqrt(of_then * of_today):
        return both > LEFT * of_then
    if of_then <= CLEAR * CLEAR * float(weights.sum()):
        return False
    there, was, now_is = (cv2.GaussianBlur(one * other, (0, 0), PART_MM * SCALE) for one, other in pairs)
    steep = was > STEEPEST * was.max()
    stays = steep & (there > ALIKE * np.sqrt(was * now_is)) & (there > PART_LEFT * was)
    return bool(np.count_nonzero(stays) > PART * np.count_nonzero(steep))


def _steps(plane: Floats, weights: Floats) -> Floats:
    around, count = (cv2.GaussianBlur(each, (0, 0), SMOOTH_MM * SCALE) for each in (plane * weights, weights))
    return np.asarray((plane - around / np.maximum(count, np.finfo(np.float32).eps)) * weights, np.float32)


def changed_from(now: Floats, inverse: Floats, *, shadows: bool = False) -> Image:
    """Return pixels (0/1) changed by more than light. inverse: reciprocal of the reference; shadows: count them."""
    ratios = now * inverse
    light = medians(ratios[:, ::4, ::4].reshape(3, -1))[:, None, None]
    ratios /= light
    if (np.abs(light - 1) > CHANGE / 2).any():  # brightness is unknown where either picture is burnt out
        ratios[(ratios > 1) & (inverse < 1 / BURNT) | (ratios < 1) & (now > BURNT)] = 1.0
    low, high = extremes(ratios)
    different = (high > 1 + CHANGE) | (low < 1 - CHANGE)
    if shadows:
        return np.asarray(different, np.uint8)
    shadow = (high < 1 + CHANGE / 2) & (low > SHADOW) & (high - low < 0.6 * CHANGE)
    return np.asarray(different & ~shadow, np.uint8)
