"""Registers pictures of a trembling camera with that of the mat's fit.

Tremble (shift, turn, a rolling shutter's skew and stretch, a tilt's perspective) is linear in eight small numbers,
fitted to marker corners, then to all edges.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np

from vision.camera import Image, Pyramid
from vision.registration.dense_alignment import align, homography, laid_over, normalise
from vision.registration.lens import Points
from vision.registration.rectify import Matrix, apply

STILL_PX = 0.2
"""Displacement (RMS of corners) that is ignored, below the accuracy."""

MOST_PX, WIDTH = 12.0, 1280
"""Largest displacement registered, for this width; four standard deviations of a stand under working hands."""

CORNER_PX = 0.15
"""Standard deviation of a measured corner."""

SPREAD_PX = (3.0, 1.0, 1.0, 3.0, 1.0, 1.0, 0.3, 0.3)
"""Prior standard deviations at the picture's edge: shift x with gradients, shift y with gradients, tilts."""

EXPLAINED_PX = 0.6
"""Largest residual (RMS) of a tremble."""

LASTING, AGREE = 5, 0.5
"""Successive pictures at rest with equal displacement, within this share, that mean a moved camera."""

ENOUGH = 3
"""Markers needed for a new fit."""

DRIFT_PX = 1.0
"""Displacement below which the mat is not refitted."""


def displacement(places: Points, seen: Points, size: tuple[int, int]) -> Matrix:
    """Return the homography from older to newer pixels. places, seen: N x 2, the same corners."""
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
    frame = np.array([[half, 0.0, middle[0]], [0.0, half, middle[1]], [0.0, 0.0, 1.0]])
    return np.asarray(frame @ homography(found) @ np.linalg.inv(frame), np.float64)


def scale(move: Matrix, across: float, down: float) -> Matrix:
    """Return the homography for pictures reduced by these factors."""
    smaller = np.array([[1 / across, 0.0, 0.5 / across - 0.5], [0.0, 1 / down, 0.5 / down - 0.5], [0.0, 0.0, 1.0]])
    return np.asarray(smaller @ move @ np.linalg.inv(smaller), np.float64)


class SteadyPicture(Pyramid):
    """A picture warped onto an older one on demand. move: from older pixels to these."""

    def __init__(self, picture: Pyramid, move: Matrix) -> None:
        super().__init__(picture.image)
        self._picture, self.move = picture, move
        self._colour = {}

    def colour(self, shrink: int = 1) -> Image:
        if shrink not in self._colour:
            self._colour[shrink] = laid_over(self._picture.colour(shrink), scale(self.move, shrink, shrink))
        return self._colour[shrink]

    def gray(self, shrink: int = 1) -> Image:
        if shrink not in self._gray:
            self._gray[shrink] = laid_over(self._picture.gray(shrink), scale(self.move, shrink, shrink))
        return self._gray[shrink]

    def small(self) -> Image:
        """Return the small gray picture, reduced after warping to keep its edges."""
        return small_gray(self.gray())


def small_gray(gray: Image) -> Image:
    """Return a gray picture's small one, averaged down like those of a trembling camera."""
    return Pyramid(gray).small()


class Steady:
    """Tracks displacement since the mat's fit. picture: of the fit; trembles: as under an earlier fit."""

    def __init__(self, picture: Pyramid, *, trembles: bool = False) -> None:
        self._older = normalise(small_gray(picture.gray()))
        self._left = 0.0
        self._resting: deque[Points] = deque(maxlen=LASTING)
        self.lasting = False
        """The camera was moved: fit the mat again."""
        self.trembles = trembles
        """A picture had to be registered."""

    def move(
        self, places: Mapping[int, Points], seen: Mapping[int, Points], size: tuple[int, int], *, resting: bool
    ) -> Matrix | None:
        """Return the homography from the fit's picture; None if unneeded or impossible. Sets `lasting` and `trembles`.
        places, seen: corners by id."""
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
        self._left = float(np.sqrt(np.mean(left**2)))
        if self._left > EXPLAINED_PX:
            return None
        self.trembles = True
        return move

    def lay_over(self, picture: Pyramid, move: Matrix) -> SteadyPicture:
        """Return a picture laid over that of the fit. move: by the markers, corrected by all edges if they leave large
        residuals."""
        if self._left <= CORNER_PX:
            return SteadyPicture(picture, move)
        small = small_gray(picture.gray())
        shrink = picture.image.shape[1] / small.shape[1], picture.image.shape[0] / small.shape[0]
        found = align(self._older, small, scale(move, *shrink))
        return SteadyPicture(picture, scale(found, 1 / shrink[0], 1 / shrink[1]))

    def _lasts(self) -> bool:
        mean = np.mean(self._resting, axis=0)
        far = float(np.hypot(*mean))
        spread = max(float(np.hypot(*(one - mean))) for one in self._resting)
        return len(self._resting) == LASTING and far > DRIFT_PX and spread < AGREE * far
