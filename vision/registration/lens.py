"""Calibrates lenses with a ChArUco board and corrects distortion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.errors import RefereeError
from vision.camera import Image
from vision.files import read_json, write_whole

Points = npt.NDArray[np.float64]
"""N x 2: millimetres on the mat or pixels."""

TYPICAL_FOCAL = 0.83
"""Default focal length in picture widths (camera v2 0.83, v3 0.73, v1 0.96, USB 0.75 to 0.9)."""

SAME_SHAPE = 0.01
"""Tolerance of aspect ratios, for rounded sizes."""

MIN_VIEWS = 5
MIN_CORNERS = 8


MEASURE = "measure it with `referee calibrate --lens FOLDER`, or take `lens` out of the table file"

LARGEST = 100_000
"""Most pixels across."""

FOCAL_LENGTHS = (0.05, 100.0)
"""Allowed range in picture widths."""

STRONGEST = 1000.0
"""Largest distortion coefficient; real ones are a few units."""


class CalibrationFailed(RefereeError, ValueError):
    """The board's pictures do not suffice; the message has the remedy."""


class LensUnfit(RefereeError, ValueError):
    """The lens calibration is unusable; the message has the remedy."""


class Lens(msgspec.Struct, frozen=True):
    """Pinhole model with distortion, in pixels of a picture of `size`.

    distortion: k1, k2, p1, p2, k3 as in OpenCV.
    error_px: RMS reprojection error.
    known_focal: `focal` was measured.
    """

    size: tuple[int, int]
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    error_px: float = 0.0
    known_focal: bool = True

    def __post_init__(self) -> None:
        """Raise ValueError for implausible values."""
        (width, height), least, most = self.size, *FOCAL_LENGTHS
        if not (0 < width <= LARGEST and 0 < height <= LARGEST):
            raise ValueError(f"size is {width} x {height} pixels")
        if not all(least * width <= focal <= most * width for focal in self.focal):
            raise ValueError(f"focal is {self.focal} for a picture {width} pixels wide")
        if not all(-side <= centre <= 2 * side for centre, side in zip(self.centre, self.size, strict=True)):
            raise ValueError(f"centre {self.centre} is far from a picture of {width} x {height}")
        if len(self.distortion) != 5 or not all(abs(each) <= STRONGEST for each in self.distortion):
            raise ValueError(f"distortion is not five numbers up to {STRONGEST:g}")
        if not (self.error_px >= 0 and math.isfinite(self.error_px)):
            raise ValueError(f"error_px is {self.error_px}")

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """Return the 3 x 3 camera matrix."""
        return np.array([[self.focal[0], 0, self.centre[0]], [0, self.focal[1], self.centre[1]], [0, 0, 1.0]])

    @property
    def straight(self) -> bool:
        """Return True without distortion."""
        return not any(self.distortion)

    def undistort(self, pixels: Points) -> Points:
        """Convert pixels to those of an ideal lens."""
        if self.straight:
            return pixels
        matrix = self.matrix
        points = np.asarray(pixels, np.float64).reshape(-1, 1, 2)
        flat = cv2.undistortPoints(points, matrix, np.array(self.distortion), P=matrix)
        return np.asarray(flat, np.float64).reshape(-1, 2)

    def distort(self, pixels: Points) -> Points:
        """Convert an ideal lens's pixels to real ones."""
        if self.straight:
            return pixels
        x = (pixels[:, 0] - self.centre[0]) / self.focal[0]
        y = (pixels[:, 1] - self.centre[1]) / self.focal[1]
        k1, k2, p1, p2, k3 = self.distortion
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return np.stack([u * self.focal[0] + self.centre[0], v * self.focal[1] + self.centre[1]], axis=1)

    def scale(self, width: int, height: int) -> Lens:
        """Return the lens for another picture size. Raises LensUnfit for another shape."""
        fx, fy = width / self.size[0], height / self.size[1]
        if abs(fx / fy - 1) > SAME_SHAPE:
            raise LensUnfit(
                f"the lens was measured with pictures of {self.size[0]} x {self.size[1]}, and these are of another "
                f"shape, {width} x {height}: measure it again with pictures that `referee calibrate --lens FOLDER "
                "--take 12` takes, or take `lens` out of the table file"
            )
        return msgspec.structs.replace(
            self,
            size=(width, height),
            focal=(self.focal[0] * fx, self.focal[1] * fy),
            centre=(self.centre[0] * fx, self.centre[1] * fy),
        )


def typical_lens(width: int, height: int, k1: float = 0.0) -> Lens:
    """Return a lens for an uncalibrated camera."""
    focal = TYPICAL_FOCAL * width
    return Lens((width, height), (focal, focal), (width / 2, height / 2), (k1, 0.0, 0.0, 0.0, 0.0), known_focal=False)


def load_lens(path: Path) -> Lens:
    """Read a lens. Raises BadFile."""
    return read_json(path, Lens, remedy=MEASURE)


def save_lens(lens: Lens, path: Path) -> None:
    """Write a lens. Raises OSError."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(lens), indent=2))


class CalibrationBoard(msgspec.Struct, frozen=True):
    """A ChArUco board."""

    columns: int = 8
    rows: int = 5
    square_mm: float = 32.0
    marker_mm: float = 24.0
    dictionary: str = "4x4_50"

    def charuco(self) -> cv2.aruco.CharucoBoard:
        return cv2.aruco.CharucoBoard(
            (self.columns, self.rows), self.square_mm, self.marker_mm, dictionary(self.dictionary)
        )


def dictionary(name: str) -> cv2.aruco.Dictionary:
    """Return a predefined ArUco dictionary, such as "4x4_50". Raises ValueError."""
    number = getattr(cv2.aruco, f"DICT_{name.upper()}", None)
    if number is None:
        raise ValueError(f"no ArUco dictionary {name!r}; a common one is 4x4_50")
    return cv2.aruco.getPredefinedDictionary(number)


def corners_of(image: Image, board: CalibrationBoard) -> tuple[Points, tuple[int, ...]]:
    """Return the board's inner corners in pixels and their numbers; empty if too few."""
    found, ids, _, _ = cv2.aruco.CharucoDetector(board.charuco()).detectBoard(image)
    if ids is None or len(ids) < MIN_CORNERS:
        return np.zeros((0, 2)), ()
    numbers = tuple(int(number) for number in np.asarray(ids).reshape(-1))
    return np.asarray(found, np.float64).reshape(-1, 2), numbers


def calibrate(images: Sequence[Image], board: CalibrationBoard) -> Lens:
    """Calibrate a lens from five or more pictures of the board. Raises CalibrationFailed."""
    sizes = sorted({image.shape[1::-1] for image in images})
    if len(sizes) > 1:
        told = " and ".join(f"{width} x {height}" for width, height in sizes)
        raise CalibrationFailed(f"the pictures are of different sizes, {told}: take all of them alike")
    grid = np.asarray(board.charuco().getChessboardCorners(), np.float32)
    objects: list[npt.NDArray[np.float32]] = []
    corners: list[npt.NDArray[np.float32]] = []
    for image in images:
        found, numbers = corners_of(image, board)
        if numbers:
            objects.append(grid[list(numbers)].reshape(-1, 1, 3))
            corners.append(found.astype(np.float32).reshape(-1, 1, 2))
    if len(objects) < MIN_VIEWS:
        raise CalibrationFailed(
            f"the board was found in {len(objects)} of {len(images)} pictures; take at least {MIN_VIEWS} sharp ones "
            "that show most of it, from different sides and tilted"
        )
    height, width = images[0].shape[:2]
    guess = typical_lens(width, height).matrix
    error, matrix, distortion, _, _ = cv2.calibrateCamera(
        objects, corners, (width, height), guess, np.zeros(5), flags=cv2.CALIB_USE_INTRINSIC_GUESS
    )
    values = tuple(float(value) for value in np.asarray(distortion).reshape(-1)[:5])
    focal = (float(matrix[0, 0]), float(matrix[1, 1]))
    try:
        return Lens((width, height), focal, (float(matrix[0, 2]), float(matrix[1, 2])), values, float(error))
    except ValueError as wrong:
        raise CalibrationFailed(
            f"what came of the pictures is no lens ({wrong}); take others, sharp ones, from more sides"
        ) from wrong
