"""Projects between picture and mat at any height; rectifies sheets and crops.

Rectifying at the height of a thick piece's top face shows it at its true position and size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.registration.lens import Lens, Points, typical_lens

Matrix = npt.NDArray[np.float64]

COARSE = 8
"""Grid spacing of exact maps, in pixels."""

SURE_TILT_DEG = 10.0
"""Tilt above which the homography gives the focal length."""


class Projection:
    """Maps the mat to the picture. homography: mm to pixels of an ideal lens."""

    def __init__(self, homography: Matrix, lens: Lens) -> None:
        self.homography, self.lens = homography, lens
        self._planes: dict[float, Matrix] = {0.0: homography}

    def pixels(self, points_mm: Points, height_mm: float = 0.0) -> Points:
        """Project N x 2 millimetres at a height to pixels."""
        return self.lens.distort(apply(self.at_height(height_mm), points_mm))

    def millimetres(self, pixels: Points) -> Points:
        """Project N x 2 pixels to millimetres on the mat."""
        return apply(np.asarray(np.linalg.inv(self.homography), np.float64), self.lens.undistort(pixels))

    def at_height(self, height_mm: float) -> Matrix:
        """Return `plane`, cached."""
        if height_mm not in self._planes:
            self._planes[height_mm] = self.plane(height_mm)
        return self._planes[height_mm]

    def plane(self, height_mm: float) -> Matrix:
        """Return the homography of a plane above the mat."""
        first, second, origin = self._pose()
        up = -np.cross(first, second)  # x right, y down: z would point into the table
        return np.asarray(self._matrix() @ np.column_stack([first, second, origin + height_mm * up]), np.float64)

    def _pose(self) -> tuple[Matrix, Matrix, Matrix]:
        axes = np.linalg.inv(self._matrix()) @ self.homography
        scale = (np.linalg.norm(axes[:, 0]) + np.linalg.norm(axes[:, 1])) / 2
        axes = axes / (scale if axes[2, 2] > 0 else -scale)
        return axes[:, 0], axes[:, 1], axes[:, 2]

    def _matrix(self) -> Matrix:
        matrix = self.lens.matrix
        focal = None if self.lens.known_focal else focal_of(self.homography, self.lens)
        if focal is not None:
            matrix[0, 0] = matrix[1, 1] = focal
        return matrix


def focal_of(homography: Matrix, lens: Lens) -> float | None:
    """Return the focal length that makes the mat's axes orthogonal and equal; None without enough tilt, or if
    implausible."""
    shift = np.array([[1.0, 0, -lens.centre[0]], [0, 1.0, -lens.centre[1]], [0, 0, 1.0]])
    h = shift @ homography
    bottom = h[2, 0] * h[2, 1]
    top = h[0, 0] * h[0, 1] + h[1, 0] * h[1, 1]
    difference = h[2, 0] ** 2 - h[2, 1] ** 2
    lengths = h[0, 0] ** 2 + h[1, 0] ** 2 - h[0, 1] ** 2 - h[1, 1] ** 2
    # |u|=|v| and u.v=0 with u, v the mat's axes in camera space: two equations in f^2, solved by least squares.
    weight = bottom * bottom + difference * difference
    if weight <= 0:
        return None
    square = -(bottom * top + difference * lengths) / weight
    if square <= 0:
        return None
    focal = float(np.sqrt(square))
    axes = np.diag([1 / focal, 1 / focal, 1.0]) @ h
    normal = np.cross(axes[:, 0], axes[:, 1])
    tilt = np.degrees(np.arccos(min(1.0, abs(normal[2]) / np.linalg.norm(normal))))
    plausible = 0.45 < focal / lens.size[0] < 1.8
    return focal if plausible and tilt > SURE_TILT_DEG else None


def apply(homography: Matrix, points: Points) -> Points:
    """Map N x 2 points by a homography."""
    homogeneous = points @ homography[:, :2].T + homography[:, 2]
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], np.float64)


class RectifiedSheet:
    """A rectangle of the mat to be rectified at one height, with cached maps. scale: pixels per millimetre; shrink:
    reduction of source frames."""

    def __init__(
        self,
        projection: Projection,
        origin_mm: tuple[float, float],
        size_mm: tuple[float, float],
        height_mm: float,
        scale: float,
        *,
        shrink: int = 1,
    ) -> None:
        self.origin_mm, self.size_mm, self.height_mm, self.scale = origin_mm, size_mm, height_mm, scale
        self.shape = (round(size_mm[1] * scale), round(size_mm[0] * scale))
        self.shrink = shrink
        self._projection = projection

    @cached_property
    def _maps(self) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.uint16]]:
        map_x, map_y = self._maps_of(self._projection)
        first, second = cv2.convertMaps(map_x, map_y, cv2.CV_16SC2)
        return np.asarray(first, np.int16), np.asarray(second, np.uint16)

    def _maps_of(self, projection: Projection) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        rows, columns = self.shape
        across, down = columns // COARSE + 3, rows // COARSE + 3
        nodes = np.stack(np.meshgrid(np.arange(across), np.arange(down)), axis=-1).reshape(-1, 2)
        grid = np.asarray(nodes * COARSE - (COARSE + 1) / 2, np.float64)  # resize() aligns the pixels' outer edges
        frame = (projection.pixels(self.to_mm(grid), self.height_mm) + 0.5) / self.shrink - 0.5
        pixels = frame.astype(np.float32).reshape(down, across, 2)
        full = cv2.resize(pixels, (across * COARSE, down * COARSE), interpolation=cv2.INTER_LINEAR)
        inner = full[COARSE : COARSE + rows, COARSE : COARSE + columns].astype(np.float32)
        return np.ascontiguousarray(inner[..., 0]), np.ascontiguousarray(inner[..., 1])

    def to_mm(self, points: Points) -> Points:
        """Convert sheet pixels (first centre: 0, 0) to millimetres."""
        return np.asarray((points + 0.5) / self.scale + np.array(self.origin_mm), np.float64)

    def to_px(self, points_mm: Points) -> Points:
        return np.asarray((points_mm - np.array(self.origin_mm)) * self.scale - 0.5, np.float64)

    def rectify(self, image: Image) -> Image:
        """Rectify a frame reduced by `shrink`: uint8 of `shape`."""
        first, second = self._maps
        return np.asarray(
            cv2.remap(image, first, second, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )

    def windows(self, image: Image, places: Points, reach: int) -> Iterator[tuple[Image, tuple[int, int]]]:
        """Yield squares around places (N x 2 sheet pixels) of a full-size frame, each with its top-left sheet pixel."""
        lows = np.rint(places).astype(int) - reach
        side = 2 * reach + 1
        square = np.array([[0, 0], [side - 1, 0], [side - 1, side - 1], [0, side - 1]], np.float64)
        corners = (lows[:, None, :] + square).reshape(-1, 2)
        pixels = self._projection.pixels(self.to_mm(corners), self.height_mm).astype(np.float32).reshape(-1, 4, 2)
        target = square.astype(np.float32)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        for source, (left, top) in zip(pixels, lows.tolist(), strict=True):
            transform = cv2.getPerspectiveTransform(target, source)
            patch = cv2.warpPerspective(image, transform, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
            yield np.asarray(patch, np.uint8), (left, top)


def crops(
    image: Image,
    projection: Projection,
    places: Sequence[tuple[float, float, float]],
    *,
    size_mm: tuple[float, float],
    height_mm: float,
    pixels: tuple[int, int],
) -> Image:
    """Return patches, N x height x width x 3, of `size_mm`.

    pixels: width and height of a patch.
    places: x, y (mm) and clockwise angle (degrees) to undo.
    """
    patches = np.empty((len(places), pixels[1], pixels[0], *image.shape[2:]), np.uint8)
    if not places:
        return patches
    x, y, angle = np.array(places, np.float64).T
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    right, down = np.stack([cos, sin], axis=1) * size_mm[0] / 2, np.stack([-sin, cos], axis=1) * size_mm[1] / 2
    middle = np.stack([x, y], axis=1)
    corners = [middle - right - down, middle + right - down, middle + right + down, middle - right + down]
    points = np.stack(corners, axis=1).reshape(-1, 2)
    sources = projection.pixels(points, height_mm).astype(np.float32).reshape(-1, 4, 2)
    across, below = pixels[0] - 0.5, pixels[1] - 0.5
    target = np.array([[-0.5, -0.5], [across, -0.5], [across, below], [-0.5, below]], np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for source, patch in zip(sources, patches, strict=True):
        transform = cv2.getPerspectiveTransform(target, source)
        cv2.warpPerspective(image, transform, pixels, patch, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return patches


def corner_projection(
    corners_px: Points, size_mm: tuple[float, float], width: int, height: int, lens: Lens | None = None
) -> Projection:
    """Return the projection by the mat's corners, clockwise from top left."""
    chosen = lens or typical_lens(width, height)
    corners_mm = np.array([[0, 0], [size_mm[0], 0], list(size_mm), [0, size_mm[1]]], np.float32)
    flat = chosen.undistort(np.asarray(corners_px, np.float64)).astype(np.float32)
    return Projection(np.asarray(cv2.getPerspectiveTransform(corners_mm, flat), np.float64), chosen)
