"""The background: how the mat looked at rest without pieces, and where a sheet differs from it by more than light."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes
from vision.ranks import medians

SCALE = 0.5
"""Pixels a millimetre of the coarse sheet in which hands are looked for."""

OFFSET = 4.0
"""Added to every level, so that noise in the dark is no change."""

CHANGE = 0.16
SHADOW = 0.6
"""A pixel darker than at rest in equal parts, down to this share, is in a shadow."""

GROUND_MM, BESIDE_MM = 90.0, 24.0
"""Under a piece the mat is taken to look as it does around, this far; where enough of what is right beside it is bare,
as that does: a lamp's reflection is no wider than a hand."""

LEAST_BARE, LEAST_BESIDE = np.float32(2.0), np.float32(0.25)
"""Fewer bare pixels than these around a piece tell little; of what is right beside it so large a share must be bare."""

Floats = npt.NDArray[np.float32]


def light_of(coarse: Image) -> Floats:
    """The channels of a sheet, each a plane of its own: 3 x rows x columns."""
    light = np.array(cv2.split(coarse), np.float32)
    light += np.float32(OFFSET)
    return light


def inverse_of(light: Floats) -> Floats:
    """One over it: to compare is to multiply."""
    return np.asarray(np.divide(np.float32(1.0), light), np.float32)


def ground_of(coarse: Image, light: Floats, pieces: Image) -> Floats:
    """The light with the pieces' places filled by the mean of what is bare beside or around them."""
    at = np.flatnonzero(pieces.view(np.bool_))
    if not len(at):
        return light
    side = round(BESIDE_MM * SCALE)
    (around, count), (beside, bare) = _sums(coarse, pieces, (round(GROUND_MM * SCALE), side), at)
    wide = (around + np.float32(OFFSET) * count) / np.maximum(count, LEAST_BARE)
    near = (beside + np.float32(OFFSET) * bare) / np.maximum(bare, LEAST_BARE)
    filled = light.copy()
    filled.reshape(3, -1)[:, at] = np.maximum(np.where(bare >= LEAST_BESIDE * side * side, near, wide), 1.0)
    return filled


def _sums(coarse: Image, pieces: Image, sides: Sequence[int], at: npt.NDArray[np.intp]) -> list[tuple[Floats, Floats]]:
    """The channels of all bare pixels in squares around each of some pixels: their sums, 3 x N, and their number.

    sides: of the squares. Areas are summed once for the whole sheet, and looked up for the few pixels: a blur takes
    several times longer.
    """
    opaque = cv2.cvtColor(coarse, cv2.COLOR_BGR2BGRA)
    bare = cv2.bitwise_and(opaque, opaque, mask=np.asarray(1 - pieces, np.uint8))  # where alpha is 0 nothing counts
    room = (max(sides) // 2, max(sides) - 1 - max(sides) // 2)
    sums = np.asarray(cv2.integral(cv2.copyMakeBorder(bare, *room, *room, cv2.BORDER_REFLECT_101)), np.int32)
    return [_looked_up(sums, room[0] - side // 2, side, at, pieces.shape[1]) for side in sides]


def _looked_up(
    sums: npt.NDArray[np.int32], inset: int, side: int, at: npt.NDArray[np.intp], columns: int
) -> tuple[Floats, Floats]:
    """Of squares of one size, each so far into the bordered sheet beyond its pixel: sums and numbers."""
    wide = sums.shape[1]
    upper = (at // columns + inset) * wide + at % columns + inset
    lower = upper + side * wide
    pixels = sums.reshape(-1, 4)
    above, below = (pixels.take(row + side, axis=0) - pixels.take(row, axis=0) for row in (upper, lower))
    *channels, alpha = (below - above).T.astype(np.float32)
    return np.asarray(channels, np.float32), alpha / np.float32(255)


def changed_from(now: Floats, inverse: Floats) -> Image:
    """What differs by more than light: pixels brighter, coloured otherwise, or darker than a shadow makes them.

    inverse: one over the reference.
    """
    ratios = now * inverse
    ratios /= medians(ratios[:, ::4, ::4].reshape(3, -1))[:, None, None]
    low, high = extremes(ratios)
    different = (high > 1 + CHANGE) | (low < 1 - CHANGE)
    shadow = (high < 1 + CHANGE / 2) & (low > SHADOW) & (high - low < 0.6 * CHANGE)
    return np.asarray(different & ~shadow, np.uint8)
