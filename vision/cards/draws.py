"""Detects whether the back that shows on a pile has changed: no two cards lie alike to a tenth of a millimetre.

The ground around it tells by how much the whole picture is off.
"""

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
"""So often a motion of less than a line's width is worked out anew."""

SAME_MM, OTHER_MM = 0.06, 0.1
"""How far a corner of a back lies from where it lay: up to the first it is the same one, from the second on another."""

MOVED_MM = 0.15
"""By so much more it may if the camera was moved: two fits of the mat are not the same to a tenth of a millimetre."""

BETTER, MUCH_BETTER = 1.05, 2.0
"""So many times less is left unexplained, if a back lies elsewhere: below the first it is the same, from the second on
another."""

FAR_BETTER, PLAIN = 3.0, 0.93
"""From so many times on, and from that correlation, a back lies plainly elsewhere, though the light is another. From
another place of the camera light falls otherwise on any back: there that correlation will do."""

ALIKE, GROUND = 0.97, 0.85
"""Correlation from which what is measured of a back is to be relied on: below it something else has changed, too; and
of the ground, from which what lies on it is left out."""

UNSURE = 0.6
"""Certainty of a draw that only may have been one."""

AROUND_MM = 45.0
"""So far around a pile the ground is looked at."""


OTHERWISE, SOLID = 0.25, 5
"""A difference of the logarithm of brightness over so many pixels across is no line of a back that lies elsewhere."""

SHADOW = 9
"""Pixels: half so wide is the rim of what lies on a back that is left out with it."""


def alike(before: Image, now: Image, back: Image) -> Image:
    """Mask (0/1) of what of a back is not hidden by something that lay on it before or lies there now."""
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
    """Differences of the logarithm of brightness."""
    return np.asarray(np.log(now.astype(np.float32) + 8.0) - np.log(before.astype(np.float32) + 8.0), np.float32)


class Pile(NamedTuple):
    """A pile before and now, with masks (0/1) of what shows of its uppermost back, and of ground that is as it was.

    size: width and height of a card in pixels. scale: pixels a millimetre. aside: since the camera was moved, how far
    from where it lay the same back may seem to lie if the pile is high, in pixels to the right and down.
    """

    before: Image
    now: Image
    back: Image
    ground: Image
    size: tuple[float, float]
    scale: float
    aside: tuple[float, float] | None = None

    def drawn(self) -> float:
        """Probability that the back is another one than before."""
        old, new = (self._gray(each) for each in (self.before, self.now))
        back, ground = (each[self._part()] for each in (self.back, self.ground))
        still = self._still(old, new, ground)
        as_it_was = _alike(old, new, back, still)
        elsewhere = [way for way in (_nudged(old, new, back, still), _found(old, new, back)) if way is not None]
        best = max(elsewhere, key=lambda way: _alike(old, new, back, way), default=still)
        alike = _alike(old, new, back, best)
        better = (1.0 - as_it_was) / max(1e-6, 1.0 - alike)
        if max(as_it_was, alike) < (PLAIN if better >= FAR_BETTER or self.aside is not None else ALIKE):
            return UNSURE
        away = self._away((best - still) @ self._corners(back)) / self.scale
        room = MOVED_MM if self.aside is not None else 0.0
        if better < BETTER or away < SAME_MM + room:
            return 0.0
        return 1.0 if better >= MUCH_BETTER and away >= OTHER_MM + room else UNSURE

    def _away(self, steps: Doubles) -> float:
        """How far the farthest corner lies from where it lay. steps: 2 x 4, how far each seems to."""
        aside = np.array(self.aside if self.aside is not None else (0.0, 0.0))
        high = float(np.clip(steps.mean(axis=1) @ aside / max(1e-9, float(aside @ aside)), 0.0, 1.0))
        return float(np.hypot(*(steps - high * aside[:, None])).max())

    def _still(self, old: Floats, new: Floats, ground: Image) -> Floats:
        """2 x 3: how the whole picture is off, as far as the ground agrees better with it so than where it lay."""
        way = _found(old, new, ground) if ground.any() else None
        alike = _alike(old, new, ground, way) if way is not None else 0.0
        return way if way is not None and alike >= max(GROUND, _alike(old, new, ground, _STILL)) else _STILL

    def _part(self) -> tuple[slice, slice]:
        """The pile with its surroundings."""
        left, top, width, height = cv2.boundingRect(self.back)
        room = round(AROUND_MM * self.scale)
        return slice(max(0, top - room), top + height + room), slice(max(0, left - room), left + width + room)

    def _gray(self, picture: Image) -> Floats:
        gray = cv2.cvtColor(picture[self._part()], cv2.COLOR_BGR2GRAY)
        return np.asarray(cv2.GaussianBlur(gray.astype(np.float32), (0, 0), 1.0), np.float32)

    def _corners(self, back: Image) -> Floats:
        """3 x 4: about where the back's corners lie."""
        left, top, width, height = cv2.boundingRect(back)
        x, y, reach = left + width / 2, top + height / 2, float(np.hypot(*self.size)) / 2 / np.sqrt(2.0)
        return np.array([(x + a * reach, y + b * reach, 1.0) for a in (-1, 1) for b in (-1, 1)], np.float32).T


_STILL = np.eye(2, 3, dtype=np.float32)


def _found(old: Floats, new: Floats, seen: Image) -> Floats | None:
    """2 x 3, from where something lay to where it lies; None if the one is not in the other. seen: mask of it, now."""
    motion = cv2.MOTION_EUCLIDEAN
    try:
        return np.asarray(cv2.findTransformECC(old, new, _STILL.copy(), motion, PRECISE, seen, BLUR)[1], np.float32)
    except cv2.error:
        return None


def _nudged(old: Floats, new: Floats, seen: Image, start: Floats) -> Floats:
    """The same for what lies hardly otherwise, from the slopes of its brightness, light apart."""
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
    """The picture with what went that way where it was."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(new, way, new.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE))


def _alike(old: Floats, new: Floats, seen: Image, way: Floats) -> float:
    """Correlation of what went that way with what it looked like before."""
    where = seen > 0
    one, other = (each[where] - each[where].mean() for each in (old, _back(new, way)))
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other) + 1e-6))
