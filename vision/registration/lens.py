"""The lens: calibration from pictures of a ChArUco board, and points to and from an ideal (pinhole) picture."""

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
"""N x 2 points: millimetres on the mat, or pixels of a picture."""

TYPICAL_FOCAL = 0.83
"""Focal length over picture width of a common camera (62 degrees): used where nothing better is known.

It is that of pictures of the whole field: camera v2 0.83, v3 0.73, v1 0.96, most on USB 0.75 to 0.9.
"""

SAME_SHAPE = 0.01
"""Pictures whose width over height differs by a smaller share are of one shape: sizes are rounded to whole pixels."""

MIN_VIEWS = 5
MIN_CORNERS = 8


MEASURE = "measure it with `referee calibrate --lens FOLDER`, or take `lens` out of the table file"

LARGEST = 100_000
"""Pixels across: no camera has so many."""

FOCAL_LENGTHS = (0.05, 100.0)
"""In picture widths: from less than a fisheye has to more than a telescope."""

STRONGEST = 1000.0
"""Of the coefficients of distortion; those of real lenses are a few units."""


class CalibrationFailed(RefereeError, ValueError):
    """The pictures of the board do not suffice: the message says what to do."""


class LensUnfit(RefereeError, ValueError):
    """What was measured of the lens cannot be used: the message says why and what to do."""


class Lens(msgspec.Struct, frozen=True):
    """Pinhole with radial and tangential distortion, in pixels of a picture of `size` (width, height).

    distortion: k1, k2, p1, p2, k3 as OpenCV counts them. error_px: RMS reprojection error of the calibration.
    known_focal: False if the focal length is only the typical one.
    """

    size: tuple[int, int]
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    error_px: float = 0.0
    known_focal: bool = True

    def __post_init__(self) -> None:
        """Raises ValueError for what no lens is: reckoning with it would fail, or go astray unseen."""
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
        """The 3 x 3 camera matrix."""
        return np.array([[self.focal[0], 0, self.centre[0]], [0, self.focal[1], self.centre[1]], [0, 0, 1.0]])

    @property
    def straight(self) -> bool:
        """True if the lens does not distort."""
        return not any(self.distortion)

    def undistort(self, pixels: Points) -> Points:
        """Pixels as an ideal lens of the same focal length would show them."""
        if self.straight:
            return pixels
        matrix = self.matrix
        points = np.asarray(pixels, np.float64).reshape(-1, 1, 2)
        flat = cv2.undistortPoints(points, matrix, np.array(self.distortion), P=matrix)
        return np.asarray(flat, np.float64).reshape(-1, 2)

    def distort(self, pixels: Points) -> Points:
        """Return where an ideal lens's pixels really are in the picture."""
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
        """The same lens for pictures of another size. Raises LensUnfit for those of another shape.

        Of these nobody knows which part of the field they show: some are cut off at the sides, others above and below.
        """
        fx, fy = width / self.size[0], height / self.size[1]
        if abs(fx / fy - 1) > SAME_SHAPE:
            raise LensUnfit(
                f"the lens was measured with pictures of {self.size[0]} x {self.size[1]}, and these are of another "
                f"shape, {width} x {height}: measure it anew with pictures that `referee calibrate --lens FOLDER "
                "--take 12` takes, or take `lens` out of the table file"
            )
        return msgspec.structs.replace(
            self,
            size=(width, height),
            focal=(self.focal[0] * fx, self.focal[1] * fy),
            centre=(self.centre[0] * fx, self.centre[1] * fy),
        )


def typical_lens(width: int, height: int, k1: float = 0.0) -> Lens:
    """A guess for an uncalibrated camera."""
    focal = TYPICAL_FOCAL * width
    return Lens((width, height), (focal, focal), (width / 2, height / 2), (k1, 0.0, 0.0, 0.0, 0.0), known_focal=False)


def load_lens(path: Path) -> Lens:
    """A lens written by `save_lens`. Raises BadFile."""
    return read_json(path, Lens, remedy=MEASURE)


def save_lens(lens: Lens, path: Path) -> None:
    """Raises OSError."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(lens), indent=2))


class CalibrationBoard(msgspec.Struct, frozen=True):
    """A ChArUco board: squares across and down, and the millimetres of a square and of a marker."""

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
    """The predefined ArUco dictionary of that name, such as "4x4_50". Raises ValueError."""
    number = getattr(cv2.aruco, f"DICT_{name.upper()}", None)
    if number is None:
        raise ValueError(f"no ArUco dictionary {name!r}; a common one is 4x4_50")
    return cv2.aruco.getPredefinedDictionary(number)


def corners_of(image: Image, board: CalibrationBoard) -> tuple[Points, tuple[int, ...]]:
    """The board's inner corners in a picture, in pixels, and their numbers; none if fewer are seen than will do."""
    found, ids, _, _ = cv2.aruco.CharucoDetector(board.charuco()).detectBoard(image)
    if ids is None or len(ids) < MIN_CORNERS:
        return np.zeros((0, 2)), ()
    numbers = tuple(int(number) for number in np.asarray(ids).reshape(-1))
    return np.asarray(found, np.float64).reshape(-1, 2), numbers


def calibrate(images: Sequence[Image], board: CalibrationBoard) -> Lens:
    """The lens from at least five pictures of the board, taken from different sides. Raises CalibrationFailed."""
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
