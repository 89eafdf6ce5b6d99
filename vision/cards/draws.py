"""Detects exchanged backs on piles by displacements of 0.1 mm, relative to the ground."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

PRECISE = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)
BLUR = 5

STEPS = 6
"""Iterations for small motions."""

SAME_MM, OTHER_MM = 0.06, 0.3
"""Corner displacement: same up to the first, another from the second. In scenes `hard` and `phone` one that lay still
seems displaced by up to 0.23."""

MOVED_MM = 0.15
"""Tolerance added after a camera move."""

BETTER, MUCH_BETTER = 1.05, 1.3
"""Reduction of the residual: same below the first, another from the second. In noise it is small: 1.36 and more was
measured in `hard` after draws, at most 1.12 without."""

FAR_BETTER, PLAIN = 3.0, 0.93
"""Reduction and correlation that suffice under other light, or after a camera move."""

ALIKE, GROUND = 0.97, 0.85
"""Least correlations of back and ground."""

UNSURE = 0.6
"""Certainty of a possible draw."""

AROUND_MM = 45.0
"""Ground margin around a pile."""


OTHERWISE, SOLID = 0.25, 5
"""Log difference over this many pixels, unlike a displaced line."""

SHADOW = 9
"""Twice the margin removed around objects, in pixels."""


def alike(before: Image, now: Image, back: Image) -> Image:
    """Return a mask: 0 where an object lay or lies on the back, else 1."""
    left, top, width, height = cv2.boundingRect(back)
    part = slice(top, top + height), slice(left, left + width)
    light = np.median(_brighter(before[::6, ::6], now[::6, ::6]).reshape(-1, 3), axis=0).astype(np.float32)
    ratio = cv2.blur(_brighter(before[part], now[part]), (3, 3)) - light
    high = np.asarray(np.abs(ratio).max(axis=2) > OTHERWISE, np.uint8)
    solid = cv2.morphologyEx(high, cv2.MORPH_OPEN, np.ones((SOLID, SOLID), np.uint8))
    mask = np.ones_like(back)
    mask[part] = 1 - cv2.dilate(solid, np.ones((SHADOW, SHADOW), np.uint8))
    return mask


def _brighter(before: Image, now: Image) -> Floats:
    """Return log brightness of `now` minus `before`."""
    return np.asarray(np.log(now.astype(np.float32) + 8.0) - np.log(before.astype(np.float32) + 8.0), np.float32)


class Pile(NamedTuple):
    """A pile before and now, with masks (0/1) of visible back and unchanged ground.

    size: of a card in pixels.
    scale: pixels per millimetre.
    aside: apparent displacement in pixels of a high pile after a move.
    """

    before: Image
    now: Image
    back: Image
    ground: Image
    size: tuple[float, float]
    scale: float
    aside: tuple[float, float] | None = None

    def draw_probability(self) -> float:
        """Return the probability of another back, as after a draw: 0, UNSURE or 1."""
        old, new = (self._gray(each) for each in (self.before, self.now))
        back, ground = (each[self._part()] for each in (self.back, self.ground))
        still = self._still(old, new, ground)
        as_it_was = _alike(old, new, back, still)
        best = _way(old, new, back, still)
        alike = _alike(old, new, back, best)
        better = (1.0 - as_it_was) / max(1e-6, 1.0 - alike)
        if max(as_it_was, alike) < (PLAIN if better >= FAR_BETTER or self.aside is not None else ALIKE):
            return UNSURE
        corners = self._corners(back)
        away = self._away((best - still) @ corners) / self.scale
        room = MOVED_MM if self.aside is not None else 0.0
        if better < BETTER or away < SAME_MM + room:
            return 0.0
        return 1.0 if better >= MUCH_BETTER and away >= OTHER_MM + room else UNSURE

    def _away(self, steps: Doubles) -> float:
        """Return the largest corner displacement, less what the pile's height explains. steps: 2 x 4."""
        aside = np.array(self.aside if self.aside is not None else (0.0, 0.0))
        high = float(np.clip(steps.mean(axis=1) @ aside / max(1e-9, float(aside @ aside)), 0.0, 1.0))
        return float(np.hypot(*(steps - high * aside[:, None])).max())

    def _still(self, old: Floats, new: Floats, ground: Image) -> Floats:
        """Return the ground's motion (2 x 3); the identity if unsure."""
        way = _way(old, new, ground, _STILL) if ground.any() else _STILL
        return way if _alike(old, new, ground, way) >= GROUND else _STILL

    def _part(self) -> tuple[slice, slice]:
        left, top, width, height = cv2.boundingRect(self.back)
        room = round(AROUND_MM * self.scale)
        return slice(max(0, top - room), top + height + room), slice(max(0, left - room), left + width + room)

    def _gray(self, picture: Image) -> Floats:
        gray = cv2.cvtColor(picture[self._part()], cv2.COLOR_BGR2GRAY)
        return np.asarray(cv2.GaussianBlur(gray.astype(np.float32), (0, 0), 1.0), np.float32)

    def _corners(self, back: Image) -> Floats:
        """Return a card's approximate corners, as homogeneous pixel columns (3 x 4)."""
        left, top, width, height = cv2.boundingRect(back)
        x, y, reach = left + width / 2, top + height / 2, float(np.hypot(*self.size)) / 2 / np.sqrt(2.0)
        return np.array([(x + a * reach, y + b * reach, 1.0) for a in (-1, 1) for b in (-1, 1)], np.float32).T


_STILL = np.eye(2, 3, dtype=np.float32)


def _way(old: Floats, new: Floats, seen: Image, start: Floats) -> Floats:
    """Return the motion (2 x 3) of most likeness within a mask; either search alone may fail."""
    found = _find_motion(old, new, seen)
    starts = [start] if found is None else [start, found]
    ways = [*starts, *(_small_motion(old, new, seen, each) for each in starts)]
    return max(ways, key=lambda way: _alike(old, new, seen, way))


def _find_motion(old: Floats, new: Floats, seen: Image) -> Floats | None:
    """Return the motion (2 x 3) by ECC, or None."""
    motion = cv2.MOTION_EUCLIDEAN
    try:
        return np.asarray(cv2.findTransformECC(old, new, _STILL.copy(), motion, PRECISE, seen, BLUR)[1], np.float32)
    except cv2.error:
        return None


def _small_motion(old: Floats, new: Floats, seen: Image, start: Floats) -> Floats:
    """Return a small motion (2 x 3) by gradients, independent of light."""
    where = seen > 0
    right, down = (cv2.Sobel(old, cv2.CV_32F, *axis, ksize=3, scale=1 / 8)[where] for axis in ((1, 0), (0, 1)))
    y, x = (at - at.mean() for at in np.nonzero(where))
    turn = (down * x - right * y).astype(np.float32)
    slopes = np.column_stack([right, down, turn, old[where], np.ones_like(right)])
    inverse = np.linalg.pinv(slopes.T @ slopes)
    middle = np.array([np.nonzero(where)[1].mean(), np.nonzero(where)[0].mean()])
    way = start
    for _ in range(STEPS):
        off = inverse @ (slopes.T @ (_back(new, way)[where] - old[where]))
        cos, sin = np.cos(-off[2]), np.sin(-off[2])
        spin = np.array([[cos, -sin], [sin, cos]])
        step = np.column_stack([spin, middle - spin @ middle - off[:2]])
        way = np.asarray(way[:, :2] @ step + np.pad(way[:, 2:], ((0, 0), (2, 0))), np.float32)
    return way


def _back(new: Floats, way: Floats) -> Floats:
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(new, way, new.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE))


def _alike(old: Floats, new: Floats, seen: Image, way: Floats) -> float:
    """Return two pictures' correlation within a mask, the new one moved back by `way`."""
    where = seen > 0
    one, other = (each[where] - each[where].mean() for each in (old, _back(new, way)))
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other) + 1e-6))
