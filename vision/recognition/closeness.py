"""A crop laid over a reference, line by line: does what is drawn on the one run where it runs on the other?

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

Bands = npt.NDArray[np.float32]
Row = npt.NDArray[np.float64]

WIDTHS = (0.7, 1.5, 3.0, 6.0)
"""Lines of a band are wider than one and narrower than the next (standard deviations in pixels)."""

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

BURNT = 243
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

    lines: tuple[Bands, ...]
    strength: Row


class _Laid(NamedTuple):
    """crop, reference: the lines of both, in one place and equally strong, (bands, height, width, planes). off: by how
    much each cell is off, in parts of the middle of the reference's lines."""

    whole: float
    middle: float
    soft: int
    reference: Bands
    off: Row


def reference(picture: Image) -> Reference:
    """Of a canonical picture. About three milliseconds."""
    light = picture.astype(np.float32)
    blurred = [_blurred(light, spread) if spread else light for spread in SOFT]
    lines = tuple(_within(_bands(one)) for one in blurred)
    return Reference(lines, np.array([_strength(one) for one in lines]))


def closeness(picture: Image, best: Reference, other: Reference) -> Closeness:
    """picture: canonical, lying over `best` within SHIFT, and its turn undone. other: the next likely."""
    lines = _bands(picture.astype(np.float32))
    clear = _clear(picture)
    mine, theirs = _laid(lines, clear, best), _laid(lines, clear, other)
    differ = _cells(np.square(mine.reference - theirs.reference))
    telling = np.argsort(-differ)[:TELLING]
    apart = math.log(theirs.off[telling].mean() + 0.02) - math.log(mine.off[telling].mean() + 0.02)
    worst = math.log(float(np.sort(mine.off)[WORST]) + 0.01)
    return Closeness(mine.whole, mine.middle, worst, float(mine.soft), apart)


def _laid(lines: Bands, clear: Bands, over: Reference) -> _Laid:
    sharp = over.lines[0]
    middle = np.ascontiguousarray(sharp[1] + sharp[2])
    inner = EDGE - SHIFT
    room = np.ascontiguousarray((lines[1] + lines[2])[inner : SIDE - inner, inner : SIDE - inner])
    fits = cv2.matchTemplate(room, middle, cv2.TM_CCORR)
    down, right = (int(value) + inner for value in np.unravel_index(int(fits.argmax()), fits.shape))
    size = middle.shape[0]
    seen = clear[down : down + size, right : right + size, None]
    crop = lines[:, down : down + size, right : right + size] * seen
    unlike = _strength(crop) - over.strength
    soft = int(unlike.var(axis=1).argmin())
    drawn = over.lines[soft] * seen
    both, own, known = (np.einsum("bhwp,bhwp->bp", *pair) for pair in ((crop, drawn), (crop, crop), (drawn, drawn)))
    gains = both.sum(axis=0) / (known.sum(axis=0) + 4 * FAINT)
    scaled = drawn * gains.astype(np.float32)
    power = _cells(np.square(scaled))
    off = _cells(np.square(crop - scaled)) / (power.mean() + 0.2 * own.sum() / power.size + FAINT)
    correlation = both.sum() / math.sqrt(known.sum() * own.sum() + 1)
    between = both[1].sum() / math.sqrt(known[1].sum() * own[1].sum() + FAINT)
    return _Laid(float(correlation), float(between), soft, scaled, off)


def _bands(light: Bands) -> Bands:
    """(bands, height, width, planes): each band one kind of line in brightness and two differences in colour."""
    planes = np.asarray(cv2.transform(light, OPPONENT.astype(np.float32)), np.float32)
    steps = [_blurred(planes, spread) for spread in WIDTHS]
    return np.stack([fine - coarse for fine, coarse in pairwise(steps)])


def _blurred(light: Bands, spread: float) -> Bands:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), spread, borderType=cv2.BORDER_REPLICATE), np.float32)


def _within(lines: Bands) -> Bands:
    return np.ascontiguousarray(lines[:, EDGE : SIDE - EDGE, EDGE : SIDE - EDGE])


def _strength(lines: Bands) -> Row:
    return np.asarray(np.log(np.einsum("bhwp,bhwp->b", lines, lines) + FAINT), np.float64)


def _cells(lines: Bands) -> Row:
    """Sums over all bands and planes, cell by cell."""
    flat = lines.sum(axis=(0, 3))
    size = flat.shape[0] // CELLS
    return np.asarray(flat.reshape(CELLS, size, CELLS, size).sum(axis=(1, 3)).ravel(), np.float64)


def _clear(picture: Image) -> Bands:
    """1 where a picture says something, 0 where it is burnt and close by."""
    burnt = (picture.min(axis=2) > BURNT).astype(np.uint8)
    return (1 - cv2.dilate(burnt, np.ones((5, 5), np.uint8))).astype(np.float32)
