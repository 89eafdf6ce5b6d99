"""Compares a crop with a reference line by line: does what is drawn on one run where it runs on the other?

The network's score says how alike two pieces look on the whole, and leaves out what it was never shown to matter. Here
both pictures are split into lines of three widths. Light, shade and colour casts are wider than any of them; a wrong
stroke is not. What is burnt in the crop says nothing; the reference is as blurred as the crop.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.alignment import OPPONENT
from vision.recognition.canonical import SIDE
from vision.recognition.covered import Mask

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

BURNT = 244
"""Gray level of all channels from which a pixel says nothing."""

FAINT = 50.0
"""Strength of lines, all squares added up, that is mere noise."""


class Closeness(NamedTuple):
    """How well a crop lies over a reference. whole: correlation of the lines of all widths; middle: of those between;
    worst: logarithm of how far the worst cells are off; soft: by which of SOFT the reference was blurred for it; apart:
    by how much better than the other reference it fits, where the two differ."""

    whole: float
    middle: float
    worst: float
    soft: float
    apart: float


class Reference(NamedTuple):
    """A reference as it is when blurred in each of SOFT: its lines, and the logarithms of their strength."""

    lines: tuple[Lines, ...]
    strength: Rows


class _Laid(NamedTuple):
    """whole, middle, soft: see `Closeness`. reference: the lines of the reference, as strong as the crop's. off: by how
    much each cell is off, in parts of the middle of the reference's lines."""

    whole: float
    middle: float
    soft: int
    reference: Lines
    off: Rows


def reference(picture: Image) -> Reference:
    """Of a canonical picture. About a millisecond."""
    light = picture.astype(np.float32)
    blurred = [_blurred(light, spread) if spread else light for spread in SOFT]
    lines = tuple(np.ascontiguousarray(_lines(one)[EDGE : SIDE - EDGE, EDGE : SIDE - EDGE]) for one in blurred)
    return Reference(lines, np.array([_strength(_cells(one * one)) for one in lines]))


def closeness(picture: Image, best: Reference, other: Reference, hidden: Mask | None = None) -> Closeness:
    """picture: canonical, lying over `best` within SHIFT, and its turn undone. other: the next likely. hidden: where it
    says nothing, besides where it is burnt."""
    lines, clear = _lines(picture.astype(np.float32)), _clear(picture)
    if hidden is not None:
        seen = 1 - hidden[..., None]
        clear = seen if clear is None else clear * seen
    mine = _laid(lines, clear, best)
    theirs = mine if other is best else _laid(lines, clear, other)
    differ = _cells(np.square(mine.reference - theirs.reference)).sum(axis=1)
    telling = np.argsort(-differ)[:TELLING]
    apart = math.log(theirs.off[telling].mean() + 0.02) - math.log(mine.off[telling].mean() + 0.02)
    worst = math.log(float(np.sort(mine.off)[WORST]) + 0.01)
    return Closeness(mine.whole, mine.middle, worst, float(mine.soft), apart)


def _laid(lines: Lines, clear: Lines | None, over: Reference) -> _Laid:
    here = _place(lines, over.lines[0])
    crop = lines[here]
    if clear is not None:
        crop = crop * clear[here]
    own = _cells(crop * crop)
    soft = int((_strength(own) - over.strength).var(axis=1).argmin())
    drawn = over.lines[soft] if clear is None else over.lines[soft] * clear[here]
    both, known = _cells(crop * drawn), _cells(drawn * drawn)
    gains = _planes(both) / (_planes(known) + 4 * FAINT)
    by_line = np.tile(gains, BANDS)
    power = known @ np.square(by_line)
    off = own.sum(axis=1) - 2 * both @ by_line + power
    off = np.maximum(0.0, off) / (power.mean() + 0.2 * own.sum() / len(own) + FAINT)
    correlation = both.sum() / math.sqrt(known.sum() * own.sum() + 1)
    between = both[:, MIDDLE].sum() / math.sqrt(known[:, MIDDLE].sum() * own[:, MIDDLE].sum() + FAINT)
    return _Laid(float(correlation), float(between), soft, drawn * by_line.astype(np.float32), off)


def _place(lines: Lines, over: Lines) -> tuple[slice, slice]:
    """Where in a crop the reference without its edges lies best, by all but the finest lines."""
    room = lines[EDGE - SHIFT : SIDE - EDGE + SHIFT, EDGE - SHIFT : SIDE - EDGE + SHIFT]
    coarse, known = (np.ascontiguousarray(part[..., 3:6] + part[..., 6:9]) for part in (room, over))
    fits = cv2.matchTemplate(coarse, known, cv2.TM_CCORR)
    down, right = (int(value) + EDGE - SHIFT for value in np.unravel_index(int(fits.argmax()), fits.shape))
    return slice(down, down + over.shape[0]), slice(right, right + over.shape[1])


def _lines(light: Lines) -> Lines:
    """Height x width x (bands x planes): each band one kind of line in brightness and two differences in colour."""
    planes = np.asarray(cv2.transform(light, OPPONENT.astype(np.float32)), np.float32)
    steps = [_blurred(planes, spread) for spread in WIDTHS]
    return np.concatenate([fine - coarse for fine, coarse in pairwise(steps)], axis=2)


def _blurred(light: Lines, spread: float) -> Lines:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), spread, borderType=cv2.BORDER_REPLICATE), np.float32)


def _cells(products: Lines) -> Rows:
    """Sums, cell by cell: cells x (bands x planes)."""
    side, _, depth = products.shape
    size = side // CELLS
    strips = products.reshape(CELLS, size, side * depth).sum(axis=1)
    return np.asarray(strips.reshape(CELLS, CELLS, size, depth).sum(axis=2).reshape(-1, depth), np.float64)


def _strength(cells: Rows) -> Rows:
    """Of each band, over all cells and planes."""
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
