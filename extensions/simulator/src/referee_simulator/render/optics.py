"""Pose and lens of the virtual camera: mm on the table to pixels."""

from __future__ import annotations

import math

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

# A Raspberry Pi's camera sees about 62 degrees across.
FIELD_DEG = 62.0
# Limits of what is drawn: nearest depth over the mat's distance, and widest tangent.
NEAREST, WIDEST = 0.15, 2.5
# The mat fills up to (1 + FILL) / 2 of the frame.
FILL = 0.86
# Pixels converted at once: intermediate results stay in the cache, five times faster.
AT_ONCE = 1 << 14


class Optics(msgspec.Struct, frozen=True):
    """A pinhole with radial distortion: rotation 3x3, translation (mm), focal length and centre (pixels)."""

    rotation: Points
    translation: Points
    focal: float
    centre: tuple[float, float]
    k1: float
    size: tuple[int, int]

    @property
    def eye(self) -> Points:
        return np.asarray(-self.rotation.T @ self.translation, dtype=np.float64)

    def project(self, points: Points) -> Points:
        """Return pixels (N, 2) of points (N, 3) in mm; heights are positive."""
        flipped = points * np.array([1.0, 1.0, -1.0])
        seen = flipped @ self.rotation.T + self.translation
        plane = seen[:, :2] / seen[:, 2:3]
        radius = (plane**2).sum(axis=1, keepdims=True)
        bent = plane * (1.0 + self.k1 * radius)
        return np.asarray(bent * self.focal + np.array(self.centre), dtype=np.float64)

    def flat(self, points: Points) -> Points:
        """Return pixels (N, 2) of points (N, 2) on the mat in mm."""
        return self.project(np.column_stack([points, np.zeros(len(points))]))

    def renders(self, points: Points) -> npt.NDArray[np.bool_]:
        """Test which points (N, 3) are before the lens, where its distortion is monotonic."""
        seen = (points * np.array([1.0, 1.0, -1.0])) @ self.rotation.T + self.translation
        before = seen[:, 2] > NEAREST * self.translation[2]
        aside = (seen[:, :2] ** 2).sum(axis=1) / np.where(before, seen[:, 2], 1.0) ** 2
        return np.asarray(before & (aside < min(WIDEST**2, 1 / (3 * max(-self.k1, 1e-9)))))

    def scale(self) -> float:
        return self.focal / float(self.translation[2])

    def back(self, pixels: Points) -> Points:
        """Invert `project` at height 0: return points (N, 2) in mm."""
        columns = np.column_stack([self.rotation[:, 0], self.rotation[:, 1], self.translation])
        plane = np.linalg.inv(columns).T
        parts = (pixels[at : at + AT_ONCE] for at in range(0, len(pixels), AT_ONCE))
        return np.concatenate([self._back(part, plane) for part in parts], dtype=np.float64)

    def _back(self, pixels: Points, plane: Points) -> Points:
        bent_x, bent_y = ((pixels[:, i] - self.centre[i]) / self.focal for i in (0, 1))
        x, y = bent_x, bent_y
        for _ in range(6 if self.k1 else 0):
            stretch = 1.0 + self.k1 * (x * x + y * y)
            x, y = bent_x / stretch, bent_y / stretch
        rays = np.column_stack([x, y, np.ones(len(pixels))]) @ plane
        return np.asarray(rays[:, :2] / rays[:, 2:3], dtype=np.float64)


def look_at(
    mat_mm: tuple[float, float],
    size: tuple[int, int],
    *,
    tilt_deg: float = 0.0,
    tilt_to_deg: float = 90.0,
    roll_deg: float = 0.0,
    aside_deg: tuple[float, float] = (0.0, 0.0),
    k1: float = 0.0,
) -> Optics:
    """Return a camera tilted towards a side, as near as the mat fits its view, then aimed `aside_deg` off (right,
    down)."""
    focal = size[0] / 2 / math.tan(math.radians(FIELD_DEG / 2))
    middle = np.array([mat_mm[0] / 2, mat_mm[1] / 2, 0.0])
    lean = math.radians(tilt_to_deg)
    axis = np.array([-math.sin(lean), math.cos(lean), 0.0]) * math.radians(tilt_deg)
    turn = np.array([0.0, 0.0, math.radians(roll_deg)])
    rotation = np.asarray(cv2.Rodrigues(turn)[0] @ cv2.Rodrigues(axis)[0], dtype=np.float64)
    corners = np.array([[0, 0, 0], [mat_mm[0], 0, 0], [*mat_mm, 0], [0, mat_mm[1], 0]], dtype=np.float64)
    distance = 300.0
    while True:
        translation = np.array([0.0, 0.0, distance]) - rotation @ middle
        optics = Optics(rotation, translation, focal, (size[0] / 2, size[1] / 2), k1, size)
        if _fits(optics.project(corners), size):
            right, down = np.radians(aside_deg)
            swung = cv2.Rodrigues(np.array([down, -right, 0.0]))[0]
            return msgspec.structs.replace(optics, rotation=swung @ rotation, translation=swung @ translation)
        distance *= 1.02


def _fits(pixels: Points, size: tuple[int, int]) -> bool:
    half = np.array(size) / 2
    return bool((np.abs(pixels - half) <= half * (1 + FILL) / 2).all())
