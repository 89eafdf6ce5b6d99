"""Detects crops off their piece's centre.

A cut-off piece may resemble another: three ovals without one are two. So crops are compared with their likeliest
references over wider offsets.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.alignment import GRID, Planes, planes, straight
from vision.recognition.comparison import ComparedCrop
from vision.recognition.embedding import Vectors
from vision.recognition.gallery import Gallery, Upright

COARSE, FINE = 2, 1
"""Reductions of the coarse and the fine search."""

ROOM = 8
"""Search radius in pixels, a quarter of the planes."""

LIKELIEST = 5
"""Kinds tried."""

WELL, MANY = 0.8, 20
"""Coarse correlation of a good fit; without one, this many kinds are tried, since a part may not resemble its piece."""

OFF, SEEMS_OFF, FAR = 0.09, 0.08, 0.16
"""Offsets in crops: followed by other looks; coarsely suspicious; and farthest that can be recognised."""

BETTER, LESS = 0.04, 0.2
"""Advantage needed over the centre, and coarse correlation that may be lacking against the best."""


class Displacement(NamedTuple):
    """An off-centre piece: offset right and down in crop sides.

    kinds: possible ones.
    within: near enough, and clearly better than any centred kind.
    """

    right: float
    down: float
    kinds: frozenset[int]
    within: bool


class _Laid(NamedTuple):
    kind: int
    best: float
    right: float
    down: float
    centred: float

    @property
    def away(self) -> float:
        return float(np.hypot(self.right, self.down))


def astray(stock: Gallery, seen: ComparedCrop, scores: Vectors) -> Displacement | None:
    """Return the piece's displacement, None if centred. scores: by all evidence."""
    likely, crop = np.argsort(-scores, kind="stable")[:MANY].tolist(), planes(seen.crop.image)
    laid = [_over(stock, seen, crop, kind, COARSE) for kind in likely[:LIKELIEST]]
    if max(each.centred for each in laid) < WELL:
        laid += [_over(stock, seen, crop, kind, COARSE) for kind in likely[LIKELIEST:]]
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
    room = ROOM // shrink
    middle = slice(room - 2 // shrink, room + 2 // shrink + 1)
    reference, turn = stock.reference(int(seen.views[kind]))
    fits = _fits(straight(crop, turn), reference, shrink)
    down, right = (int(each) - room for each in np.unravel_index(int(fits.argmax()), fits.shape))
    angle = np.deg2rad(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * shrink / GRID
    across, along = (float(each) for each in spin @ (right, down))
    return _Laid(kind, float(fits.max()), across, along, float(fits[middle, middle].max()))


def shift_back(crop: Upright, away: Displacement) -> Upright:
    """Shift a crop's pictures back, replicating edges."""
    return Upright(_shift(crop.image, away), _shift(crop.detail, away), crop.turned)


def _shift(picture: Image, away: Displacement) -> Image:
    side = len(picture)
    matrix = np.array([[1.0, 0.0, -away.right * side], [0.0, 1.0, -away.down * side]])
    moved = cv2.warpAffine(picture, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _fits(crop: Planes, over: Planes, shrink: int) -> Planes:
    """Return the correlation of the overlap by offset within ROOM."""
    mine, theirs, room = _even(crop, shrink), _even(over, shrink), ROOM // shrink
    whole = np.ones(mine.shape[:2], np.float32)
    wide = cv2.copyMakeBorder(mine, room, room, room, room, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0))
    there = cv2.copyMakeBorder(whole, room, room, room, room, cv2.BORDER_CONSTANT, value=0.0)
    both = cv2.matchTemplate(wide, theirs, cv2.TM_CCORR)
    own = cv2.matchTemplate(np.square(wide).sum(axis=2), whole, cv2.TM_CCORR)
    other = cv2.matchTemplate(there, np.square(theirs).sum(axis=2), cv2.TM_CCORR)
    return np.asarray(both / np.sqrt(np.maximum(own * other, 1.0)), np.float32)


def _even(each: Planes, shrink: int) -> Planes:
    small = cv2.resize(each, (GRID // shrink, GRID // shrink), interpolation=cv2.INTER_AREA)
    return np.asarray(small - small.mean(axis=(0, 1)), np.float32)
