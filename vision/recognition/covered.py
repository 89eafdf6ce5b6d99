"""Detects parts covered from a side, and reflections; there the reference is painted in before comparing again."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import SIDE

Mask = npt.NDArray[np.float32]
Light = npt.NDArray[np.float64]

CELLS = 8
"""Cells per side."""

OTHER, QUITE = 25.0, 30.0
"""Gray levels a cell may differ, and beyond, at which it is fully covered."""

REACH = 9
"""Pixels around covered ones that are covered too if they look alike; mere difference would paint over strokes."""

BURNT, HALO = 244, 7
"""Level of clipped pixels; margin of brighter ones that count too."""

SURE = 0.7
"""Mean coverage required of covered cells."""

ELSEWHERE = 0.2
"""Share of other cells that may differ."""

SIDES, SHARES = 12, (0.06, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3)
"""Directions and shares of covering tried."""


def covered(picture: Image, over: Image) -> Mask:
    """Return 1 where something covers a canonical picture from a side. over: its reference."""
    seed = _side(picture, over)
    if not seed.any():
        return seed
    light, reach = picture.astype(np.float32), (2 * REACH + 1, 2 * REACH + 1)
    off = seed * (_most(np.abs(light - _lit(over, picture))) > OTHER)
    share, sums = cv2.blur(off, reach), cv2.blur(light * off[..., None], reach)
    tint = sums / (share[..., None] + np.float32(1e-6))
    same = (share > 0) & (_most(np.abs(light - tint)) < OTHER)
    return np.maximum(seed, cv2.dilate(same.astype(np.float32), np.ones((3, 3), np.uint8)))


def dazzled(picture: Image, over: Image) -> Mask:
    """Return 1 around reflections in a canonical picture. over: its reference."""
    burnt = cv2.inRange(picture, (BURNT, BURNT, BURNT), (255, 255, 255))
    if not burnt.any():
        return np.zeros((SIDE, SIDE), np.float32)
    brighter = (_most(picture - _lit(over, picture)) > OTHER).astype(np.uint8)
    near = cv2.dilate((burnt > 0) * brighter, np.ones((2 * HALO + 1, 2 * HALO + 1), np.uint8))
    return np.asarray(cv2.dilate((near * brighter).astype(np.float32), np.ones((3, 3), np.uint8)), np.float32)


def painted(picture: Image, over: Image, mask: Mask) -> Image:
    """Paint the reference into masked parts, under the picture's light."""
    soft = cv2.GaussianBlur(mask, (0, 0), 1.0)[..., None]
    seen = (mask == 0).astype(np.uint8)
    mine, theirs = (np.array(cv2.mean(each, seen)[:3], np.float32) for each in (picture, over))
    gains = mine / (theirs + 1e-3)
    mixed = picture * (1 - soft) + np.clip(over * gains, 0, 255) * soft
    return np.asarray(mixed, np.uint8)


def _lit(over: Image, picture: Image) -> Mask:
    """Return the reference under the picture's lamp."""
    gains = _middle(np.asarray((picture[::4, ::4] + 5.0) / (over[::4, ::4] + 5.0), np.float64))
    return np.asarray(over * gains.astype(np.float32), np.float32)


def _most(values: Mask) -> Mask:
    one, two, three = cv2.split(values)
    return np.asarray(cv2.max(cv2.max(one, two), three), np.float32)


def _middle(values: Light) -> Light:
    """Return channel medians of an even count, faster than NumPy."""
    ranked = np.sort(values.reshape(-1, values.shape[2]), axis=0)
    half = len(ranked) // 2
    return np.asarray((ranked[half - 1] + ranked[half]) / 2, np.float64)


def _side(picture: Image, over: Image) -> Mask:
    mine, theirs = (
        cv2.resize(one, (CELLS, CELLS), interpolation=cv2.INTER_AREA).astype(np.float32) for one in (picture, over)
    )
    gains = _middle(np.asarray((mine + 5) / (theirs + 5), np.float64)).astype(np.float32)
    far = np.abs(mine - theirs * gains).max(axis=2).ravel()
    off = np.clip((far - OTHER) / QUITE, 0, 1) - SURE
    sums = _HALVES @ off
    best = int(sums.argmax())
    if sums[best] <= 0 or (far[_HALVES[best] == 0] > OTHER).mean() > ELSEWHERE:
        return np.zeros((SIDE, SIDE), np.float32)
    cells = _HALVES[best].reshape(CELLS, CELLS)
    return np.asarray(cv2.resize(cells, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST), np.float32)


def _halves() -> Mask:
    down, right = (np.mgrid[:CELLS, :CELLS] + 0.5) / CELLS - 0.5
    parts = []
    for angle in np.arange(SIDES) * 2 * np.pi / SIDES:
        along = right * np.cos(angle) + down * np.sin(angle)
        parts += [along > np.quantile(along, 1 - share) for share in SHARES]
    return np.array(parts, np.float32).reshape(len(parts), -1)


_HALVES = _halves()
