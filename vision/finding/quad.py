"""Defines rectangles of known size and edge strengths."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

EDGE = 0.07
"""Log brightness step per pixel of a full edge."""

INNER, RIM = 0.85, 0.25
"""Weight of an edge without bare ground beside it; mask step of a full border."""


class Quad(msgspec.Struct, frozen=True):
    """A rectangle in sheet pixels.

    angle_deg: clockwise, in [-90, 90) for cards, [-45, 45) for squares.
    support: share of visible sides with edges.
    shown: share of its area not hidden.
    """

    x: float
    y: float
    angle_deg: float
    support: float
    shown: float = 1.0

    def corners(self, size: tuple[float, float]) -> npt.NDArray[np.float32]:
        """Return the corners, 4 x 2 pixels. size: width, height."""
        return np.asarray(cv2.boxPoints(((self.x, self.y), size, self.angle_deg)), np.float32)


def fold_angle(angle: float, size: tuple[float, float]) -> float:
    """Reduce an angle by the shape's symmetry."""
    period = 90.0 if abs(size[0] - size[1]) < 0.05 * size[0] else 180.0
    return (angle + period / 2) % period - period / 2
