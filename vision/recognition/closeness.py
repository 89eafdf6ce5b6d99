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
MIDDLE = slice(3, 6)
"""The planes of the middle band, brightness and two of colour, among those of all."""

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


class Traced(NamedTuple):
    """A picture as its lines: height x width x (bands x planes). coarse: all but the finest, by which it is laid over
    another; small: those at half the size."""

    lines: Lines
    coarse: Lines
    small: Lines


class Drawn(NamedTuple):
    """A crop. clear: 1 where it says something (height x width x 1), None if that is everywhere."""

    traced: Traced
    clear: Lines | None


class Placed(NamedTuple):
    """The lines of a crop where a reference lies best, 0 where they say nothing, and what is clear there."""

    lines: Lines
    clear: Lines | None


class Fitted(NamedTuple):
    """A crop over a reference. whole, middle: see `Closeness`. lines: the reference's, as strong as the crop's, where
    the crop is clear; all: everywhere. off: by how much each cell is off, squares added up; power: the middle of those
    of the reference."""

    whole: float
    middle: float
    lines: Lines
    all: Lines
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


def drawn(picture: Image, hidden: Mask | None = None) -> Drawn:
    """A canonical picture. hidden: where it says nothing, besides where it is burnt."""
    clear = _clear(picture)
    if hidden is not None:
        seen = 1 - hidden[..., None]
        clear = seen if clear is None else clear * seen
    return Drawn(_traced(_lines(picture.astype(np.float32)), EDGE - SHIFT), clear)


def reference(picture: Image, soft: int) -> Traced:
    """A canonical picture blurred by one of SOFT, without its edges."""
    light = picture.astype(np.float32)
    return _traced(_lines(_blurred(light, SOFT[soft]) if soft else light), EDGE)


def strength(known: Traced) -> Rows:
    """Logarithm of the power of each band."""
    return _strength(_cells(known.lines, known.lines))


def placed(crop: Drawn, over: Traced) -> Placed:
    """Where a reference lies best over the crop, within SHIFT: at half the size first, then a pixel to each side."""
    half = _best(crop.traced.small, over.small)
    near = np.clip(2 * half - 1, 0, 2 * (SHIFT - 1))
    down, right = near
    size = over.coarse.shape[0] + 2
    down, right = near + _best(crop.traced.coarse[down : down + size, right : right + size], over.coarse)
    here = np.s_[down : down + over.lines.shape[0], right : right + over.lines.shape[1]]
    if crop.clear is None:
        return Placed(np.ascontiguousarray(crop.traced.lines[here]), None)
    inner = slice(EDGE - SHIFT, SIDE - EDGE + SHIFT)
    clear = crop.clear[inner, inner][here]
    return Placed(crop.traced.lines[here] * clear, clear)


def softness(crop: Placed, strengths: Rows) -> int:
    """By which of SOFT the reference that the crop lies over has to be blurred to be as soft. strengths: those of its
    lines for each of SOFT."""
    return int((_strength(_cells(crop.lines, crop.lines)) - strengths).var(axis=1).argmin())


def fitted(crop: Placed, over: Traced) -> Fitted:
    """over: a reference that is as soft as the crop, the turn of which was undone."""
    known = over.lines
    lines = known if crop.clear is None else known * crop.clear
    own, both, power = _cells(crop.lines, crop.lines), _cells(crop.lines, lines), _cells(lines, lines)
    gains = np.tile(_planes(both) / (_planes(power) + 4 * FAINT), BANDS)
    expected = power @ np.square(gains)
    off = np.maximum(0.0, own.sum(axis=1) - 2 * both @ gains + expected)
    whole = both.sum() / math.sqrt(power.sum() * own.sum() + 1)
    middle = both[:, MIDDLE].sum() / math.sqrt(power[:, MIDDLE].sum() * own[:, MIDDLE].sum() + FAINT)
    level = gains.astype(np.float32)
    usual = float(expected.mean() + 0.2 * own.sum() / len(own) + FAINT)
    shown = lines * level
    return Fitted(float(whole), float(middle), shown, shown if crop.clear is None else known * level, off, usual)


def closeness(best: Fitted, others: Sequence[Fitted]) -> Closeness:
    """best: the crop over the likeliest reference; others: over those it may be taken for, the next likely first."""
    worst = math.log(float(np.sort(best.off)[WORST]) / best.power + 0.01)
    bare = 1.0 if best.all is best.lines else float(np.square(best.lines).sum() / (np.square(best.all).sum() + 1))
    leads, shares = [0.0], [1.0]
    if others:
        leads, shares = (list(each) for each in zip(*(_told(best, other) for other in others), strict=True))
    return Closeness(best.whole, best.middle, worst, bare, leads[0], min(leads), min(shares))


def _told(best: Fitted, other: Fitted) -> tuple[float, float]:
    """By how much better than the other reference the crop fits where they differ, and how much of that is in sight."""
    away = best.lines - other.lines
    differ = _cells(away, away).sum(axis=1)
    telling = np.argsort(-differ)[:TELLING]
    mine, theirs = (float(each.off[telling].mean()) / best.power + 0.02 for each in (best, other))
    share = 1.0 if best.all is best.lines else float(differ.sum() / (np.square(best.all - other.all).sum() + 1))
    return math.log(theirs / mine), share


def _best(room: Lines, known: Lines) -> npt.NDArray[np.intp]:
    """How far down and right in a picture another fits best."""
    fits = cv2.matchTemplate(room, known, cv2.TM_CCORR)
    return np.array(np.unravel_index(int(fits.argmax()), fits.shape))


def _traced(lines: Lines, edge: int) -> Traced:
    """Without an edge."""
    inner = np.ascontiguousarray(lines[edge : SIDE - edge, edge : SIDE - edge])
    coarse = inner[..., 3:6] + inner[..., 6:9]
    half = (coarse.shape[1] // 2, coarse.shape[0] // 2)
    return Traced(inner, coarse, np.asarray(cv2.resize(coarse, half, interpolation=cv2.INTER_AREA), np.float32))


def _lines(light: Lines) -> Lines:
    """Height x width x (bands x planes): each band one kind of line in brightness and two differences in colour."""
    planes = np.asarray(cv2.transform(light, OPPONENT.astype(np.float32)), np.float32)
    steps = [_blurred(planes, spread) for spread in WIDTHS]
    return np.concatenate([fine - coarse for fine, coarse in pairwise(steps)], axis=2)


def _blurred(light: Lines, spread: float) -> Lines:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), spread, borderType=cv2.BORDER_REPLICATE), np.float32)


def _cells(one: Lines, other: Lines) -> Rows:
    """Products, summed cell by cell: cells x (bands x planes)."""
    size, depth = one.shape[0] // CELLS, one.shape[2]
    parts = (each.reshape(CELLS, size, CELLS, size, depth) for each in (one, other))
    return np.asarray(np.einsum("aibjc,aibjc->abc", *parts).reshape(-1, depth), np.float64)


def _strength(cells: Rows) -> Rows:
    return np.asarray(np.log(cells.sum(axis=0).reshape(BANDS, -1).sum(axis=1) + FAINT), np.float64)


def _planes(cells: Rows) -> Rows:
    """Of each plane, over all cells and bands."""
    return np.asarray(cells.sum(axis=0).reshape(BANDS, -1).sum(axis=0), np.float64)


def _clear(picture: Image) -> Lines | None:
    """Height x width x 1: 1 where a picture says something, 0 where it is burnt and close by. None if nowhere."""
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    if not burnt.any():
        return None
    return np.asarray(cv2.dilate(burnt, np.ones((5, 5), np.uint8)) == 0, np.float32)[..., None]
