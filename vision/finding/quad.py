"""A rectangle of a known size in a picture, and what counts as an edge of one."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

EDGE = 0.07
"""A step across a pixel, of the logarithm of brightness, that counts as an edge in full."""

INNER, RIM = 0.85, 0.25
"""What an edge counts that has no bare ground beside it; a step of the mask of what stands out that counts in full."""


class Quad(msgspec.Struct, frozen=True):
    """A rectangle in sheet pixels. angle_deg: clockwise turn, in [-90, 90) for cards, [-45, 45) for squares.

    support: share of its visible sides that are edges. shown: share of its area that no other rectangle hides.
    """

    x: float
    y: float
    angle_deg: float
    support: float
    shown: float = 1.0

    def corners(self, size: tuple[float, float]) -> npt.NDArray[np.float32]:
        """4 x 2 pixels."""
        return np.asarray(cv2.boxPoints(((self.x, self.y), size, self.angle_deg)), np.float32)


def fold_angle(angle: float, size: tuple[float, float]) -> float:
    """An angle without the turns under which the shape looks the same."""
    period = 90.0 if abs(size[0] - size[1]) < 0.05 * size[0] else 180.0
    return (angle + period / 2) % period - period / 2
