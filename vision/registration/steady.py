"""Registration of pictures: lays a picture of a camera that trembles over the one that the mat was fitted in.

Everything that compares pictures (motion, hands, pieces that look as before, cards) gets them laid over one another:
registration has its one home here. What a trembling camera does to a picture is small: a shift, a turn, the skew and
stretch of a rolling shutter, and the perspective of a tilt. All of them are linear in eight small numbers, which the
corners of the mat's markers tell by least squares.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import cv2
import numpy as np

from vision.camera import Image, Pyramid
from vision.registration.lens import Points
from vision.registration.rectify import Matrix, apply

STILL_PX = 0.2
"""A picture that is off by less (root mean square over the markers' corners) is taken as it is: measuring is no more
exact, and nothing that compares pictures minds.
"""

MOST_PX, WIDTH = 12.0, 1280
"""A picture that is off by more, of so many pixels across, is not laid over: that is a bump, or nothing can be judged.
Four times the standard deviation of 3 px that a stand shows under working hands.
"""

CORNER_PX = 0.15
"""Standard deviation of a marker's corner as it is measured."""

SPREAD_PX = (3.0, 1.0, 1.0, 3.0, 1.0, 1.0, 0.3, 0.3)
"""How far each of the eight numbers moves the picture's edge, as a standard deviation: both shifts, each with what it
changes by across and down the picture, then both tilts. It decides what too few markers leave open.
"""

EXPLAINED_PX = 0.6
"""Corners farther off than this (root mean square) after that are no tremble of the camera: something else moved."""

LASTING, AGREE = 5, 0.5
"""So many pictures at rest that are off by the same, within this share of it: the camera stands otherwise now."""

ENOUGH = 3
"""Markers that must be seen for the mat to be fitted anew."""

DRIFT_PX = 1.0
"""Less than this is not followed: each picture is laid over all the same."""


def displacement(places: Points, seen: Points, size: tuple[int, int]) -> Matrix:
    """Return the homography (3 x 3) from pixels of the older picture to those of the newer one.

    places, seen: N x 2 pixels of the same corners in both. size: width and height of the pictures.
    """
    half = size[0] / 2
    middle = np.array(size) / 2
    x, y = ((places - middle) / half).T
    one, none = np.ones_like(x), np.zeros_like(x)
    across = np.column_stack([one, x, y, none, none, none, x * x, x * y])
    down = np.column_stack([none, none, none, one, x, y, x * y, y * y])
    rows = np.concatenate([across, down])
    off = (seen - places).T.reshape(-1)
    held = np.diag((CORNER_PX / np.array(SPREAD_PX)) ** 2)
    found = np.linalg.solve(rows.T @ rows + held, rows.T @ off) / half
    right, right_x, right_y, below, below_x, below_y, tilt_x, tilt_y = found.tolist()
    move = np.array([[1 + right_x, right_y, right], [below_x, 1 + below_y, below], [-tilt_x, -tilt_y, 1.0]])
    scale = np.array([[half, 0.0, middle[0]], [0.0, half, middle[1]], [0.0, 0.0, 1.0]])
    return np.asarray(scale @ move @ np.linalg.inv(scale), np.float64)


def scale(move: Matrix, across: float, down: float) -> Matrix:
    """Return the same homography for pictures whose pixels are so many times as wide and as high."""
    smaller = np.array([[1 / across, 0.0, 0.5 / across - 0.5], [0.0, 1 / down, 0.5 / down - 0.5], [0.0, 0.0, 1.0]])
    return np.asarray(smaller @ move @ np.linalg.inv(smaller), np.float64)


def laid_over(image: Image, move: Matrix) -> Image:
    """Return a picture as the older one shows it. move: from pixels of the older picture to its own."""
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP  # linear interpolation would blur it, each by another amount
    moved = cv2.warpPerspective(image, move, image.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


class SteadyPicture(Pyramid):
    """A picture laid over an older one; each size of it when it is first asked for."""

    def __init__(self, picture: Pyramid, move: Matrix) -> None:
        """move: from pixels of the older picture to those of this one."""
        super().__init__(picture.image)
        self._picture, self._move = picture, move
        self._colour = {}

    def colour(self, shrink: int = 1) -> Image:
        """Return the picture, averaged down."""
        if shrink not in self._colour:
            self._colour[shrink] = laid_over(self._picture.colour(shrink), scale(self._move, shrink, shrink))
        return self._colour[shrink]

    def gray(self, shrink: int = 1) -> Image:
        """Return the same in gray."""
        if shrink not in self._gray:
            self._gray[shrink] = laid_over(self._picture.gray(shrink), scale(self._move, shrink, shrink))
        return self._gray[shrink]

    def small(self) -> Image:
        """Return the small gray picture, averaged down after the move: a small one that is moved shows other edges."""
        return Pyramid(self.gray()).small()


class Steady:
    """The displacement of each picture against the one of the fit, and its recent past at rest."""

    def __init__(self, *, trembles: bool = False) -> None:
        """trembles: some picture had to be laid over under an earlier fit."""
        self._resting: deque[Points] = deque(maxlen=LASTING)
        self.lasting = False
        """Whether the camera stands otherwise than when the mat was fitted: it is to be fitted anew."""
        self.trembles = trembles
        """Whether any picture had to be laid over."""

    def move(
        self, places: Mapping[int, Points], seen: Mapping[int, Points], size: tuple[int, int], *, resting: bool
    ) -> Matrix | None:
        """Return the homography from the picture of the fit to this one; None if it need not, or cannot, be laid over.

        places, seen: corners of markers by id, in the picture of the fit and in this one. resting: nothing moves.
        """
        self.lasting = False
        if not seen:
            return None
        before, now = (np.concatenate([corners[number] for number in sorted(seen)]) for corners in (places, seen))
        off = np.hypot(*(now - before).T)
        if float(off.max()) > MOST_PX * size[0] / WIDTH:
            return None
        if resting:
            self._resting.append((now - before).mean(axis=0))
            self.lasting = len(seen) >= min(ENOUGH, len(places)) and self._lasts()
        if self.lasting or np.sqrt(np.mean(off**2)) < STILL_PX:
            return None
        move = displacement(before, now, size)
        left = np.hypot(*(apply(move, before) - now).T)
        if np.sqrt(np.mean(left**2)) > EXPLAINED_PX:
            return None
        self.trembles = True
        return move

    def _lasts(self) -> bool:
        mean = np.mean(self._resting, axis=0)
        far = float(np.hypot(*mean))
        spread = max(float(np.hypot(*(one - mean))) for one in self._resting)
        return len(self._resting) == LASTING and far > DRIFT_PX and spread < AGREE * far
