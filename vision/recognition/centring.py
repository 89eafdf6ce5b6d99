"""Tells a crop that is off its piece's centre: it shows one side of the piece and something else beside the other.

What is left of a piece may look like another one: three ovals of which one is cut off are two. So the crop is laid over
the references of the kinds that it is likest to, wider than any look does, and fits best where the piece really lies.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.alignment import GRID, Planes, planes, straight
from vision.recognition.canonical import SIDE
from vision.recognition.comparison import ComparedCrop
from vision.recognition.embedding import Vectors
from vision.recognition.gallery import Gallery

COARSE, FINE = 2, 1
"""By how much the planes are shrunk: first so far that it costs little; what seems off then is looked at closely."""

ROOM = 8
"""So many pixels of the planes to each side a crop is laid: a quarter of it."""

LIKELIEST, CLEAR = 5, 2
"""Kinds that it is laid over, among them near twins of what is left of a piece; and of one that leaves no doubt."""

WELL, MANY = 0.8, 20
"""Correlation, seen coarsely, below which a kind does not fit well. If none does where it should lie, so many are
tried: what is left of a piece may be unlike the piece; of three ovals without half of one the network says two."""

OFF, SEEMS_OFF, FAR = 0.09, 0.08, 0.16
"""Parts of a crop by which it may be off centre: so far the looks follow it; so far, seen coarsely; and so far that
what is left of the piece tells it from others."""

BETTER, LESS = 0.04, 0.2
"""By how much better it has to fit there (correlation) than where it should lie, seen closely; and by how much less it
may fit there than the best, seen coarsely: of thin lines little is left then."""


class Displacement(NamedTuple):
    """A piece that lies beside its place in a crop: so far right and down, in parts of the picture.

    kinds: the numbers of those that it may be then. within: False if it lies farther off than FAR, or fits there hardly
    better than another kind does in its place.
    """

    right: float
    down: float
    kinds: frozenset[int]
    within: bool


class _Laid(NamedTuple):
    """A crop laid over the reference of a kind: how well it fits at best, where that is, and how well in its place."""

    kind: int
    best: float
    right: float
    down: float
    centred: float

    @property
    def away(self) -> float:
        return float(np.hypot(self.right, self.down))


def astray(stock: Gallery, seen: ComparedCrop, scores: Vectors, likeliest: int = LIKELIEST) -> Displacement | None:
    """Where the piece in a crop lies; None if that is where it should.

    scores: of every kind, after the second look. likeliest: how many it is laid over, if one of them fits well.
    """
    likely, crop = np.argsort(-scores, kind="stable")[:MANY].tolist(), planes(seen.image)
    laid = [_over(stock, seen, crop, kind, COARSE) for kind in likely[:likeliest]]
    if max(each.centred for each in laid) < WELL:
        laid += [_over(stock, seen, crop, kind, COARSE) for kind in likely[likeliest:]]
    laid.sort(key=lambda each: -each.best)
    less = BETTER if laid[0].best > WELL else LESS
    if not any(each.away > SEEMS_OFF and each.best > laid[0].best - less for each in laid):
        return None
    closely = [_over(stock, seen, crop, each.kind, FINE) for each in laid[:LIKELIEST]]
    best, centred = max(closely, key=lambda each: each.best), max(closely, key=lambda each: each.centred)
    beside = [each for each in closely if each.away > OFF and each.best >= centred.centred]
    surely = best.away > OFF and best.best >= centred.centred + BETTER
    if not surely and all(each.kind == centred.kind for each in beside):
        return None
    kinds = frozenset(each.kind for each in beside if each.best >= best.best - BETTER)
    return Displacement(best.right, best.down, kinds, surely and best.away <= FAR)


def _over(stock: Gallery, seen: ComparedCrop, crop: Planes, kind: int, shrink: int) -> _Laid:
    """shrink: how much smaller than their planes both are made for it."""
    room = ROOM // shrink
    middle = slice(room - 2 // shrink, room + 2 // shrink + 1)
    reference, turn = stock.reference(int(seen.views[kind]))
    fits = _fits(straight(crop, turn), reference, shrink)
    down, right = (int(each) - room for each in np.unravel_index(int(fits.argmax()), fits.shape))
    angle = np.deg2rad(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * shrink / GRID
    across, along = (float(each) for each in spin @ (right, down))
    return _Laid(kind, float(fits.max()), across, along, float(fits[middle, middle].max()))


def recentred(picture: Image, away: Displacement) -> Image:
    """A canonical picture moved back by so much; what comes in at the edges repeats them."""
    matrix = np.array([[1.0, 0.0, -away.right * SIDE], [0.0, 1.0, -away.down * SIDE]])
    moved = cv2.warpAffine(picture, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _fits(crop: Planes, over: Planes, shrink: int) -> Planes:
    """Correlation of what of the two lies over each other, for every place of the crop within ROOM."""
    mine, theirs, room = _even(crop, shrink), _even(over, shrink), ROOM // shrink
    whole = np.ones(mine.shape[:2], np.float32)
    wide = cv2.copyMakeBorder(mine, room, room, room, room, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0))
    there = cv2.copyMakeBorder(whole, room, room, room, room, cv2.BORDER_CONSTANT, value=0.0)
    both = cv2.matchTemplate(wide, theirs, cv2.TM_CCORR)
    own = cv2.matchTemplate(np.square(wide).sum(axis=2), whole, cv2.TM_CCORR)
    other = cv2.matchTemplate(there, np.square(theirs).sum(axis=2), cv2.TM_CCORR)
    return np.asarray(both / np.sqrt(np.maximum(own * other, 1.0)), np.float32)


def _even(each: Planes, shrink: int) -> Planes:
    """Shrunk, and about its own mean."""
    small = cv2.resize(each, (GRID // shrink, GRID // shrink), interpolation=cv2.INTER_AREA)
    return np.asarray(small - small.mean(axis=(0, 1)), np.float32)
