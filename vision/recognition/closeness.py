"""Compares the lines of a crop and a reference.

The network's score ignores what training found unimportant. Here pictures are split into lines of three widths,
narrower than light, shade and colour casts but not than a wrong stroke. Clipped parts are ignored, and references
blurred like the crop. Rivals are compared alike: where two differ, one must fit better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.alignment import OPPONENT
from vision.recognition.canonical import SIDE
from vision.recognition.covered import BURNT, Mask

Lines = npt.NDArray[np.float32]
Rows = npt.NDArray[np.float64]

WIDTHS = (0.7, 1.5, 3.0, 6.0)
"""Bounds of line widths per band (standard deviations in pixels)."""

BANDS = len(WIDTHS) - 1

SOFT = (0.0, 1.3, 2.3, 3.6, 5.5)
"""Blurs of references."""

SHIFT, EDGE = 4, 5
"""Search radius, and margin omitted for it and the mat, in pixels."""

CELLS = 6
"""Cells per side."""

TELLING = 8
"""Cells used to distinguish two references."""

WORST = 33
"""Rank of the cell that measures the worst misfit."""

FAINT = 50.0
"""Power of noise (sum of squares)."""

_EVERY, _EACH = np.ones(CELLS * CELLS), np.ones(3 * BANDS)
_MIDDLE = np.repeat([0.0, 1.0, 0.0], 3)
"""Weights that sum all cells, all bands and planes, or the middle band."""


class ReferenceLines(NamedTuple):
    """A reference's lines, height x width x (bands x planes).

    power: by cell and plane.
    coarse, small: without the finest band, full and half size, as `_row`.
    """

    lines: Lines
    power: Rows
    coarse: Lines
    small: Lines


class CropLines(NamedTuple):
    """A crop's lines, SHIFT wider at each edge. clear: 1 where usable, height x width x 1; None for all."""

    lines: Lines
    coarse: Lines
    small: Lines
    clear: Lines | None


class AlignedLines(NamedTuple):
    """A crop's lines at a reference's best place, 0 where unusable."""

    lines: Lines
    clear: Lines | None
    power: Rows


class LineFit(NamedTuple):
    """A crop compared with a reference.

    whole: as `whole()`, from 64-bit sums.
    middle: see `Closeness`.
    lines: reference lines where the crop is clear; shown: their power.
    gains: by band and plane, matching the crop's strength.
    off: squared misfit by cell.
    power: the reference's mean.
    """

    whole: float
    middle: float
    known: ReferenceLines
    lines: Lines
    shown: Rows
    gains: Rows
    off: Rows
    power: float


class Closeness(NamedTuple):
    """Agreement of a crop with a reference.

    whole, middle: correlation of all lines, and of the middle band.
    worst: logarithm of the worst cells' misfit.
    bare: visible share of the lines.
    apart, beside: log advantage over the next, and over the closest rival, where they differ.
    telling: least visible share of a difference.
    """

    whole: float
    middle: float
    worst: float
    bare: float
    apart: float
    beside: float
    telling: float


def drawn(picture: Image, hidden: Mask | None = None) -> CropLines:
    """Return a canonical crop's lines. hidden: unusable part."""
    clear = _clear(picture)
    if hidden is not None:
        seen = 1 - hidden[..., None]
        clear = seen if clear is None else clear * seen
    return CropLines(*_traced(_lines(picture.astype(np.float32)), EDGE - SHIFT), clear)


def reference(picture: Image, soft: int) -> ReferenceLines:
    """Return a canonical reference's lines, blurred by SOFT[soft], without edges."""
    light = picture.astype(np.float32)
    lines, coarse, small = _traced(_lines(_blurred(light, SOFT[soft]) if soft else light), EDGE)
    wide, half = SIDE - 2 * (EDGE - SHIFT), SIDE // 2 - EDGE + SHIFT
    return ReferenceLines(lines, _cells(lines, lines), _row(coarse, wide), _row(small, half))


def strength(known: ReferenceLines) -> Rows:
    """Return each band's log power."""
    return _strength(known.power)


def placed(crop: CropLines, over: ReferenceLines) -> AlignedLines:
    """Align a crop within SHIFT, at half size first."""
    down, right = (min(max(2 * half - 1, 0), 2 * (SHIFT - 1)) for half in _best(crop.small, over.small, SHIFT + 1))
    lower, further = _best(crop.coarse, over.coarse, 3, down, right)
    down, right = down + lower, right + further
    here = np.s_[down : down + over.lines.shape[0], right : right + over.lines.shape[1]]
    lines, clear = crop.lines[here], None
    if crop.clear is not None:
        inner = slice(EDGE - SHIFT, SIDE - EDGE + SHIFT)
        clear = crop.clear[inner, inner][here]
        lines = lines * clear
    return AlignedLines(lines, clear, _cells(lines, lines))


def softness(crop: AlignedLines, strengths: Rows) -> int:
    """Return the index in SOFT that makes the reference like the crop. strengths: by blur."""
    return int((_strength(crop.power) - strengths).var(axis=1).argmin())


def whole(crop: AlignedLines, over: ReferenceLines) -> float:
    """Return the correlation of all lines."""
    shown = over.lines if crop.clear is None else over.lines * crop.clear
    power = float(_total(over.power) @ _EACH) if crop.clear is None else float(np.vdot(shown, shown))
    return float(np.vdot(crop.lines, shown)) / math.sqrt(power * float(_total(crop.power) @ _EACH) + 1)


def fitted(crop: AlignedLines, over: ReferenceLines) -> LineFit:
    """Compare with an equally blurred reference without its turn."""
    lines = over.lines if crop.clear is None else over.lines * crop.clear
    shown = over.power if crop.clear is None else _cells(lines, lines)
    both = _cells(crop.lines, lines)
    own, mixed, power = _total(crop.power), _total(both), _total(shown)
    gains = np.concatenate([_planes(mixed) / (_planes(power) + 4 * FAINT)] * BANDS)
    expected = shown @ np.square(gains)
    off = np.maximum(0.0, crop.power @ _EACH - 2 * both @ gains + expected)
    whole_own, usual = float(own @ _EACH), float(_EVERY @ expected)
    every = float(mixed @ _EACH) / math.sqrt(float(power @ _EACH) * whole_own + 1)
    middle = float(mixed @ _MIDDLE) / math.sqrt(float(power @ _MIDDLE) * float(own @ _MIDDLE) + FAINT)
    return LineFit(every, middle, over, lines, shown, gains, off, (usual + 0.2 * whole_own) / len(expected) + FAINT)


def closeness(best: LineFit, others: Sequence[LineFit]) -> Closeness:
    """Return the agreement. others: rivals, likeliest first."""
    worst = math.log(float(np.sort(best.off)[WORST]) / best.power + 0.01)
    bare = 1.0
    if best.lines is not best.known.lines:
        every, seen = (float(_total(power) @ np.square(best.gains)) for power in (best.known.power, best.shown))
        bare = seen / (every + 1)
    leads, shares = [0.0], [1.0]
    if others:
        leads, shares = (list(each) for each in zip(*(_told(best, other) for other in others), strict=True))
    return Closeness(best.whole, best.middle, worst, bare, leads[0], min(leads), min(shares))


def _told(best: LineFit, other: LineFit) -> tuple[float, float]:
    """Return the log advantage where the references differ, and its visible share."""
    differ = _apart(best.shown, other.shown, _cells(best.lines, other.lines), best, other)
    telling = np.argsort(-differ, kind="stable")[:TELLING]
    mine, theirs = (float(each.off[telling].sum()) / TELLING / best.power + 0.02 for each in (best, other))
    share = 1.0
    if best.lines is not best.known.lines:
        one, two = best.known, other.known
        every = _apart(one.power, two.power, _cells(one.lines, two.lines), best, other)
        share = float(differ.sum() / (every.sum() + 1))
    return math.log(theirs / mine), share


def _apart(one: Rows, other: Rows, both: Rows, best: LineFit, rival: LineFit) -> Rows:
    """Return the difference of two scaled references by cell."""
    away = one @ np.square(best.gains) - 2 * both @ (best.gains * rival.gains) + other @ np.square(rival.gains)
    return np.asarray(np.maximum(away, 0.0), np.float64)


def _best(room: Lines, row: Lines, places: int, down: int = 0, right: int = 0) -> tuple[int, int]:
    """Return the best offset down and right of a `_row`."""
    line, pixel, value = room.strides
    # The sum of products at each place, without a copy; OpenCV's own goes by way of a Fourier transform.
    shape, start = (places, places, len(row)), down * line + right * pixel
    fits = np.einsum("drk,k->dr", np.ndarray(shape, np.float32, room, start, (line, pixel, value)), row)
    return divmod(int(fits.argmax()), places)


def _row(picture: Lines, width: int) -> Lines:
    """Flatten a picture with the row stride of the given width."""
    height, own, depth = picture.shape
    wide = np.zeros((height, width, depth), np.float32)
    wide[:, :own] = picture
    return wide.ravel()[: ((height - 1) * width + own) * depth].copy()


def _traced(lines: Lines, edge: int) -> tuple[Lines, Lines, Lines]:
    inner = np.ascontiguousarray(lines[edge : SIDE - edge, edge : SIDE - edge])
    coarse = inner[..., 3:6] + inner[..., 6:9]
    half = (coarse.shape[1] // 2, coarse.shape[0] // 2)
    return inner, coarse, np.asarray(cv2.resize(coarse, half, interpolation=cv2.INTER_AREA), np.float32)


def _lines(light: Lines) -> Lines:
    """Return band-pass lines, height x width x (bands x planes)."""
    planes = np.asarray(cv2.transform(light, OPPONENT.astype(np.float32)), np.float32)
    steps = [_blurred(planes, spread) for spread in WIDTHS]
    bands = np.empty((*light.shape[:2], 3 * BANDS), np.float32)
    for number, (fine, coarse) in enumerate(pairwise(steps)):
        np.subtract(fine, coarse, out=bands[..., 3 * number : 3 * number + 3])
    return bands


def _blurred(light: Lines, spread: float) -> Lines:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), spread, borderType=cv2.BORDER_REPLICATE), np.float32)


def _cells(one: Lines, other: Lines) -> Rows:
    side, depth = one.shape[0], one.shape[2]
    size = side // CELLS
    rows = (one * other).reshape(CELLS, size, side * depth).sum(axis=1)
    return np.asarray(rows.reshape(CELLS, CELLS, size, depth).sum(axis=2).reshape(-1, depth), np.float64)


def _strength(cells: Rows) -> Rows:
    return np.asarray(np.log(_total(cells).reshape(BANDS, -1) @ _EACH[:3] + FAINT), np.float64)


def _total(cells: Rows) -> Rows:
    """Sum over cells; a product is faster."""
    return np.asarray(_EVERY @ cells, np.float64)


def _planes(sums: Rows) -> Rows:
    return np.asarray(_EACH[:BANDS] @ sums.reshape(BANDS, -1), np.float64)


def _clear(picture: Image) -> Lines | None:
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    if not burnt.any():
        return None
    return np.asarray(cv2.dilate(burnt, np.ones((5, 5), np.uint8)) == 0, np.float32)[..., None]
