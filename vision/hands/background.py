"""The background: how the mat looked at rest without pieces, and where a sheet differs from it by more than light."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes
from vision.picture_checks import SATURATED
from vision.quantiles import median, medians

SCALE = 0.5
"""Pixels a millimetre of the coarse sheet in which hands are looked for."""

OFFSET = 4.0
"""Added to every level, so that noise in the dark is no change."""

CHANGE = 0.16
SHADOW = 0.6
"""A pixel darker than at rest in equal parts, down to this share, is in a shadow."""

GRAIN = 0.07
"""Noise of a greater standard deviation than this, in parts of a level, would count as hands: it is smoothed."""

BURNT = np.float32(SATURATED + OFFSET)
"""The light of a pixel that is burnt out is more than this."""

OF_NOISE = 1.65
"""A step up and down again is, in the median, so many standard deviations of the noise that it is made of."""

GROUND_MM = (16.0, 24.0, 32.0, 40.0, 50.0, 60.0, 90.0)
"""Under a piece the mat is taken to look as it does around, over the first of these widths of which enough is bare: a
lamp's reflection is no wider than a hand."""

LEAST_BARE, LEAST_SHARE = np.float32(2.0), np.float32(0.1)
"""Fewer bare pixels than these around a piece tell little; and so large a share of a width must be bare."""

SMOOTH_MM = 6.0
"""What changes over more than this across a place is shading, not the edge or the print of a piece."""

FLAT, ALIKE, LEFT = 0.01, 0.5, 0.2
"""Steps of less (a share, on the mean) are noise; the same thing's are alike by so much (correlation), and so much of
them is left in a shadow.
"""

CLEAR = 0.04
PART_MM, STEEPEST, PART_LEFT, PART = 4.0, 0.5, 0.5, 0.1
"""A part of a piece is told by its steps only if they are steeper than those at a shadow's edge. So far around each
place they are taken together; those places count that have more of them than this share of the most. So much must be
left there, in so many of these places (0.18 where a finger left 6 mm of a piece in sight, 0.02 at the edge of a shadow
where one was taken away).
"""

Floats = npt.NDArray[np.float32]


def light_of(coarse: Image) -> Floats:
    """The channels of a sheet, each a plane of its own: 3 x rows x columns."""
    light = np.array(cv2.split(coarse), np.float32)
    light += np.float32(OFFSET)
    return light


def smooth_image(light: Floats) -> Floats:
    """The same without most of its noise."""
    return np.array([cv2.blur(plane, (3, 3)) for plane in light], np.float32)


def grain(light: Floats) -> float:
    """The noise in a sheet: its standard deviation in parts of a level, in the channel that has most."""
    lines = light[:, ::4]
    left, here, right = lines[..., :-2:3], lines[..., 1:-1:3], lines[..., 2::3]
    steps = np.abs(left + right - 2 * here) / here
    return float(median(steps.max(axis=0))) / OF_NOISE


def inverse_of(light: Floats) -> Floats:
    """One over it: to compare is to multiply."""
    return np.asarray(np.divide(np.float32(1.0), light), np.float32)


def ground_of(coarse: Image, light: Floats, pieces: Image) -> Floats:
    """The light with the pieces' places filled by the mean of what is bare around them."""
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
    """The channels of all bare pixels, and their number, summed up from the corner of a sheet with so much border.

    side: of the largest square that is looked up. Areas are summed once for the whole sheet, and looked up for the few
    pixels: a blur takes several times longer.
    """
    opaque = cv2.cvtColor(coarse, cv2.COLOR_BGR2BGRA)
    bare = cv2.bitwise_and(opaque, opaque, mask=np.asarray(1 - pieces, np.uint8))  # where alpha is 0 nothing counts
    before, behind = side // 2, side - 1 - side // 2
    bordered = cv2.copyMakeBorder(bare, before, behind, before, behind, cv2.BORDER_REFLECT_101)
    return np.asarray(cv2.integral(bordered), np.int32), before


def _looked_up(
    sums: npt.NDArray[np.int32], inset: int, side: int, at: npt.NDArray[np.intp], columns: int
) -> tuple[Floats, Floats]:
    """The channels in a square around each of some pixels, 3 x N, and how many of its pixels are bare.

    inset: how far the squares begin in the bordered sheet, from each pixel's place in the sheet. columns: of the sheet.
    """
    wide = sums.shape[1]
    upper = (at // columns + inset) * wide + at % columns + inset
    lower = upper + side * wide
    pixels = sums.reshape(-1, 4)
    above, below = (pixels.take(row + side, axis=0) - pixels.take(row, axis=0) for row in (upper, lower))
    *channels, alpha = (below - above).T.astype(np.float32)
    return np.asarray(channels, np.float32), alpha / np.float32(255)


def steps_stay(now: Floats, before: Floats, ground: Floats, shown: Image) -> bool:
    """Return True if what stood out from the mat still does, whatever shadow falls on it. All are cut to one place: the
    light now, one over the light before, and one over the bare mat's, 3 x rows x columns. shown: 0/1, where no hand is.
    A shadow is smooth, and leaves the steps at a piece's edge and in its print. A hand that looks like the mat hides
    some of them: of a piece that stood out clearly a part is enough. False if nothing stood out, or if what does so now
    is unlike it."""
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
    """Return the part of a plane that is no smooth shading: the difference from its weighted mean around."""
    around, count = (cv2.GaussianBlur(each, (0, 0), SMOOTH_MM * SCALE) for each in (plane * weights, weights))
    return np.asarray((plane - around / np.maximum(count, np.finfo(np.float32).eps)) * weights, np.float32)


def changed_from(now: Floats, inverse: Floats, *, shadows: bool = False) -> Image:
    """Return what differs by more than light: pixels brighter, of another colour, or darker than a shadow makes them.
    inverse: one over the reference. shadows: what a shadow makes darker counts, too."""
    ratios = now * inverse
    light = medians(ratios[:, ::4, ::4].reshape(3, -1))[:, None, None]
    ratios /= light
    if (np.abs(light - 1) > CHANGE / 2).any():  # nobody knows how bright is what is burnt out in one of the two
        ratios[(ratios > 1) & (inverse < 1 / BURNT) | (ratios < 1) & (now > BURNT)] = 1.0
    low, high = extremes(ratios)
    different = (high > 1 + CHANGE) | (low < 1 - CHANGE)
    if shadows:
        return np.asarray(different, np.uint8)
    shadow = (high < 1 + CHANGE / 2) & (low > SHADOW) & (high - low < 0.6 * CHANGE)
    return np.asarray(different & ~shadow, np.uint8)
