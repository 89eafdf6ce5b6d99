"""Detects what a finger, a sleeve or another piece covers from one side, and where a lamp is mirrored.

There the reference is painted in before a crop is compared again: it says nothing for or against a kind then.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import SIDE

Mask = npt.NDArray[np.float32]
Light = npt.NDArray[np.float64]

CELLS = 8
"""Along each edge of a picture."""

OTHER, QUITE = 25.0, 30.0
"""Gray levels by which a cell may differ from the reference's under the same lamp, and by which more it is covered."""

REACH = 9
"""Pixels around what is covered that are covered, too, if they are unlike the reference: its rim."""

BURNT, HALO = 244, 7
"""Gray level of all channels from which a pixel says nothing; and pixels around such that shine, too, if they are
brighter than the reference."""

SURE = 0.7
"""How much covered the cells have to be, on average, that are taken to lie under something."""

ELSEWHERE = 0.2
"""Share of the other cells that may differ."""

SIDES, SHARES = 12, (0.06, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3)
"""From how many sides something may come, and which shares of a picture it may cover."""


def covered(picture: Image, over: Image) -> Mask:
    """1 where something lies over it from one side. picture: canonical, lying over the reference `over`."""
    seed = _side(picture, over)
    if not seed.any():
        return seed
    off = np.abs(picture - _lit(over, picture)).max(axis=2) > OTHER
    near = cv2.dilate(seed, np.ones((2 * REACH + 1, 2 * REACH + 1), np.uint8))
    return np.maximum(seed, cv2.dilate(near * off, np.ones((3, 3), np.uint8)))


def dazzled(picture: Image, over: Image) -> Mask:
    """1 where a lamp is mirrored in it, and around. picture: canonical, lying over the reference `over`."""
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    if not burnt.any():
        return np.zeros((SIDE, SIDE), np.float32)
    brighter = (picture - _lit(over, picture)).max(axis=2) > OTHER
    near = cv2.dilate((burnt > 0) * brighter.astype(np.uint8), np.ones((2 * HALO + 1, 2 * HALO + 1), np.uint8))
    return np.asarray(cv2.dilate((near * brighter).astype(np.float32), np.ones((3, 3), np.uint8)), np.float32)


def painted(picture: Image, over: Image, mask: Mask) -> Image:
    """The picture with the reference in the place of what is covered, in the picture's light."""
    soft = cv2.GaussianBlur(mask, (0, 0), 1.0)[..., None]
    seen = 1 - mask[..., None]
    gains = (picture * seen).sum(axis=(0, 1)) / ((over * seen).sum(axis=(0, 1)) + 1)
    mixed = picture * (1 - soft) + np.clip(over * gains, 0, 255) * soft
    return np.asarray(mixed, np.uint8)


def _lit(over: Image, picture: Image) -> Light:
    """The reference under the picture's lamp."""
    return np.asarray(over * np.median((picture[::4, ::4] + 5.0) / (over[::4, ::4] + 5.0), axis=(0, 1)), np.float64)


def _side(picture: Image, over: Image) -> Mask:
    mine, theirs = (
        cv2.resize(one, (CELLS, CELLS), interpolation=cv2.INTER_AREA).astype(np.float32) for one in (picture, over)
    )
    gains = np.median((mine + 5) / (theirs + 5), axis=(0, 1))
    far = np.abs(mine - theirs * gains).max(axis=2).ravel()
    off = np.clip((far - OTHER) / QUITE, 0, 1) - SURE
    sums = _HALVES @ off
    best = int(sums.argmax())
    if sums[best] <= 0 or (far[_HALVES[best] == 0] > OTHER).mean() > ELSEWHERE:
        return np.zeros((SIDE, SIDE), np.float32)
    cells = _HALVES[best].reshape(CELLS, CELLS)
    return np.asarray(cv2.resize(cells, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST), np.float32)


def _halves() -> Mask:
    """Each part of a picture that may be covered: cells of it are 1."""
    down, right = (np.mgrid[:CELLS, :CELLS] + 0.5) / CELLS - 0.5
    parts = []
    for angle in np.arange(SIDES) * 2 * np.pi / SIDES:
        along = right * np.cos(angle) + down * np.sin(angle)
        parts += [along > np.quantile(along, 1 - share) for share in SHARES]
    return np.array(parts, np.float32).reshape(len(parts), -1)


_HALVES = _halves()
