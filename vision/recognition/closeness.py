"""Compares a crop with a reference line by line: does what is drawn on one run where it runs on the other?

The network's score says how alike two pieces look on the whole, and leaves out what it was never shown to matter. Here
both pictures are split into lines of three widths. Light, shade and colour casts are wider than any of them; a wrong
stroke is not. What is burnt in the crop says nothing; the reference is as blurred as the crop. The pieces it may be
taken for are laid over it in the same way: where they differ, one of them has to fit better.
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
"""Lines of a band are wider than one and narrower than the next (standard deviations in pixels)."""

BANDS = len(WIDTHS) - 1

SOFT = (0.0, 1.3, 2.3, 3.6, 5.5)
"""How a reference may be blurred to be like the crop."""

SHIFT, EDGE = 4, 5
"""How far a crop is moved to fit, and what is left out along each edge for it and for the mat; in pixels."""

CELLS = 6
"""Along each edge of what is compared."""

TELLING = 8
"""Cells that are looked at to tell two references apart: where they differ most."""

WORST = 33
"""Of the cells in the order of how far they are off, the one that says how badly the worst fit."""

FAINT = 50.0
"""Strength of lines, all squares added up, that is mere noise."""

_EVERY, _EACH = np.ones(CELLS * CELLS), np.ones(3 * BANDS)
_MIDDLE = np.repeat([0.0, 1.0, 0.0], 3)
"""Weights that add up all cells, all bands and planes, and the planes of the middle band."""


class ReferenceLines(NamedTuple):
    """A reference as its lines: height x width x (bands x planes). power: of each cell and plane. coarse: all but the
    finest, by which a crop is laid over it; small: those at half the size; both as `_row` makes them."""

    lines: Lines
    power: Rows
    coarse: Lines
    small: Lines


class CropLines(NamedTuple):
    """A crop as its lines, as `ReferenceLines` has them, but coarse and small as pictures, and SHIFT wider at each
    edge. clear: 1 where it says something (height x width x 1), None if that is everywhere."""

    lines: Lines
    coarse: Lines
    small: Lines
    clear: Lines | None


class AlignedLines(NamedTuple):
    """The lines of a crop where a reference lies best, 0 where they say nothing; what is clear there; and the power of
    each cell and plane."""

    lines: Lines
    clear: Lines | None
    power: Rows


class LineFit(NamedTuple):
    """A crop over a reference. whole, middle: see `Closeness`; whole is that of `whole()`, but added up in 64 bits from
    sums that are there anyway, as the confidence was fitted to it. known: the reference; lines: its lines where the
    crop is clear; shown: their power, cell by cell; gains: of each band and plane, what makes them as strong as the
    crop's. off: by how much each cell is off, squares added up; power: the middle of those of the reference."""

    whole: float
    middle: float
    known: ReferenceLines
    lines: Lines
    shown: Rows
    gains: Rows
    off: Rows
    power: float


class Closeness(NamedTuple):
    """How well a crop lies over a reference. whole: correlation of the lines of all widths; middle: of those between;
    worst: logarithm of how far the worst cells are off; bare: share of the reference's lines that are in sight; apart:
    by how much better than the next reference it fits, where the two differ; beside: than that of all which it beats
    least; telling: share in sight of what tells it from the one where that is least."""

    whole: float
    middle: float
    worst: float
    bare: float
    apart: float
    beside: float
    telling: float


def drawn(picture: Image, hidden: Mask | None = None) -> CropLines:
    """A canonical picture. hidden: where it says nothing, besides where it is burnt."""
    clear = _clear(picture)
    if hidden is not None:
        seen = 1 - hidden[..., None]
        clear = seen if clear is None else clear * seen
    return CropLines(*_traced(_lines(picture.astype(np.float32)), EDGE - SHIFT), clear)


def reference(picture: Image, soft: int) -> ReferenceLines:
    """A canonical picture blurred by one of SOFT, without its edges."""
    light = picture.astype(np.float32)
    lines, coarse, small = _traced(_lines(_blurred(light, SOFT[soft]) if soft else light), EDGE)
    wide, half = SIDE - 2 * (EDGE - SHIFT), SIDE // 2 - EDGE + SHIFT
    return ReferenceLines(lines, _cells(lines, lines), _row(coarse, wide), _row(small, half))


def strength(known: ReferenceLines) -> Rows:
    """Logarithm of the power of each band."""
    return _strength(known.power)


def placed(crop: CropLines, over: ReferenceLines) -> AlignedLines:
    """Where a reference lies best over the crop, within SHIFT: at half the size first, then a pixel to each side."""
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
    """By which of SOFT the reference that the crop lies over has to be blurred to be as soft. strengths: those of its
    lines for each of SOFT."""
    return int((_strength(crop.power) - strengths).var(axis=1).argmin())


def whole(crop: AlignedLines, over: ReferenceLines) -> float:
    """Correlation of the lines of all widths."""
    shown = over.lines if crop.clear is None else over.lines * crop.clear
    power = float(_total(over.power) @ _EACH) if crop.clear is None else float(np.vdot(shown, shown))
    return float(np.vdot(crop.lines, shown)) / math.sqrt(power * float(_total(crop.power) @ _EACH) + 1)


def fitted(crop: AlignedLines, over: ReferenceLines) -> LineFit:
    """over: a reference that is as soft as the crop, the turn of which was undone."""
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
    """best: the crop over the likeliest reference; others: over those it may be taken for, the next likely first."""
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
    """By how much better than the other reference the crop fits where they differ, and how much of that is in sight."""
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
    """By how much two references, as strong as the crop, differ in each cell: from their own power and the common."""
    away = one @ np.square(best.gains) - 2 * both @ (best.gains * rival.gains) + other @ np.square(rival.gains)
    return np.asarray(np.maximum(away, 0.0), np.float64)


def _best(room: Lines, row: Lines, places: int, down: int = 0, right: int = 0) -> tuple[int, int]:
    """How far down and right of a place in a picture another, as its `_row`, fits best; so many places each way."""
    line, pixel, value = room.strides
    # The sum of products at each place, without a copy; OpenCV's own goes by way of a Fourier transform.
    shape, start = (places, places, len(row)), down * line + right * pixel
    fits = np.einsum("drk,k->dr", np.ndarray(shape, np.float32, room, start, (line, pixel, value)), row)
    return divmod(int(fits.argmax()), places)


def _row(picture: Lines, width: int) -> Lines:
    """Its pixels as one row of numbers, as they would stand in the upper left of a picture of that width."""
    height, own, depth = picture.shape
    wide = np.zeros((height, width, depth), np.float32)
    wide[:, :own] = picture
    return wide.ravel()[: ((height - 1) * width + own) * depth].copy()


def _traced(lines: Lines, edge: int) -> tuple[Lines, Lines, Lines]:
    """All lines, the coarse, and those at half the size, without an edge."""
    inner = np.ascontiguousarray(lines[edge : SIDE - edge, edge : SIDE - edge])
    coarse = inner[..., 3:6] + inner[..., 6:9]
    half = (coarse.shape[1] // 2, coarse.shape[0] // 2)
    return inner, coarse, np.asarray(cv2.resize(coarse, half, interpolation=cv2.INTER_AREA), np.float32)


def _lines(light: Lines) -> Lines:
    """Height x width x (bands x planes): each band one kind of line in brightness and two differences in colour."""
    planes = np.asarray(cv2.transform(light, OPPONENT.astype(np.float32)), np.float32)
    steps = [_blurred(planes, spread) for spread in WIDTHS]
    bands = np.empty((*light.shape[:2], 3 * BANDS), np.float32)
    for number, (fine, coarse) in enumerate(pairwise(steps)):
        np.subtract(fine, coarse, out=bands[..., 3 * number : 3 * number + 3])
    return bands


def _blurred(light: Lines, spread: float) -> Lines:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), spread, borderType=cv2.BORDER_REPLICATE), np.float32)


def _cells(one: Lines, other: Lines) -> Rows:
    """Products, summed cell by cell: cells x (bands x planes)."""
    side, depth = one.shape[0], one.shape[2]
    size = side // CELLS
    rows = (one * other).reshape(CELLS, size, side * depth).sum(axis=1)
    return np.asarray(rows.reshape(CELLS, CELLS, size, depth).sum(axis=2).reshape(-1, depth), np.float64)


def _strength(cells: Rows) -> Rows:
    return np.asarray(np.log(_total(cells).reshape(BANDS, -1) @ _EACH[:3] + FAINT), np.float64)


def _total(cells: Rows) -> Rows:
    """Of each band and plane, over all cells. A product with ones takes a third of the time of a sum."""
    return np.asarray(_EVERY @ cells, np.float64)


def _planes(sums: Rows) -> Rows:
    """Of each plane, over all bands."""
    return np.asarray(_EACH[:BANDS] @ sums.reshape(BANDS, -1), np.float64)


def _clear(picture: Image) -> Lines | None:
    """Height x width x 1: 1 where a picture says something, 0 where it is burnt and close by. None if nowhere."""
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    if not burnt.any():
        return None
    return np.asarray(cv2.dilate(burnt, np.ones((5, 5), np.uint8)) == 0, np.float32)[..., None]
