"""Tells a crop that is off its piece's centre: it shows one side of the piece and something else beside the other.

What is left of a piece may look like another one: three ovals of which one is cut off are two. So the crop is laid over
the references of the kinds that it is likest to, wider than any look does, and fits best where the piece really lies.
"""

from __future__ import annotations

from collections.abc import Sequence
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

OFF = 0.09
"""Parts of a crop by which it may be off centre: so far the looks follow it."""

BETTER = 0.04
"""By how much better it has to fit there (correlation) than where it should lie, seen closely."""


class Displacement(NamedTuple):
    """A piece that lies beside its place in a crop: so far right and down, in parts of the picture.

    kinds: the numbers of those that it may be then. within: False if it may lie farther off than was looked.
    """

    right: float
    down: float
    kinds: frozenset[int]
    within: bool


def astray(stock: Gallery, seen: ComparedCrop, scores: Vectors, likeliest: int = LIKELIEST) -> Displacement | None:
    """Where the piece in a crop lies; None if that is where it should.

    scores: of every kind, after the second look. likeliest: how many of them it is laid over.
    """
    likely, crop = np.argsort(-scores)[:likeliest].tolist(), planes(seen.image)
    if _away(stock, seen, crop, likely, COARSE) is None:
        return None
    return _away(stock, seen, crop, likely, FINE)


def _away(stock: Gallery, seen: ComparedCrop, crop: Planes, likely: Sequence[int], shrink: int) -> Displacement | None:
    """The same, by planes that are shrunk so much."""
    room = ROOM // shrink
    middle = slice(room - 2 // shrink, room + 2 // shrink + 1)
    found, best, centred = Displacement(0.0, 0.0, frozenset(), within=True), -1.0, -1.0
    most: dict[int, float] = {}
    for kind in likely:
        over, turn = stock.reference(int(seen.views[kind]))
        fits = _fits(straight(crop, turn), over, shrink)
        down, right = (int(each) - room for each in np.unravel_index(int(fits.argmax()), fits.shape))
        most[kind] = float(fits.max())
        centred = max(centred, float(fits[middle, middle].max()))
        if most[kind] > best:
            best, angle = most[kind], np.deg2rad(turn)
            spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) * shrink / GRID
            across, along = (float(each) for each in spin @ (right, down))
            found = Displacement(across, along, frozenset(), max(abs(down), abs(right)) < room)
    if np.hypot(found.right, found.down) <= OFF or best < centred + (BETTER if shrink == FINE else 0.0):
        return None
    return found._replace(kinds=frozenset(kind for kind, fit in most.items() if fit >= best - BETTER))


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
