"""Aligns two small pictures of a scene by all their edges (Lucas and Kanade, 1981; Baker and Matthews, 2004).

Marker corners alone leave half a pixel at a mat's far side: enough to look like motion.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.registration.rectify import Matrix

Floats = npt.NDArray[np.float32]

NEIGHBOURHOOD = 25
"""Pixels of the small picture, each way, whose mean is the light."""

DIM = np.float32(6.0)
"""Added to levels against dark noise."""

EDGE = 0.02
"""Change of normalised brightness a pixel from which a place tells a displacement."""

SPREAD_PX = 0.5
"""Standard deviation of the displacement at the picture's edge before, in pixels of the small pictures."""

OUTLIER = 3.0
"""Standard deviations from which a difference is another thing, such as a hand (Tukey's biweight)."""

ROUNDS = 3


def normalise(small: Image) -> Floats:
    """Divide a picture by its local mean; blur lightly."""
    light = small + DIM
    around = cv2.boxFilter(small, cv2.CV_32F, (NEIGHBOURHOOD, NEIGHBOURHOOD)) + DIM
    return np.asarray(cv2.blur(light / around, (3, 3)), np.float32)


def align(older: Floats, newer: Image, move: Matrix) -> Matrix:
    """Return a homography from older to newer pixels that fits all edges, close to `move`; `move` itself with too few
    edges. older: normalised."""
    across, down = (np.asarray(cv2.Sobel(older, cv2.CV_32F, *way, scale=1 / 8), np.float32) for way in ((1, 0), (0, 1)))
    tells = np.hypot(across, down) > EDGE
    if np.count_nonzero(tells) < 8:
        return move
    rows, middle, half = _rows(across, down, tells)
    frame = np.array([[half, 0.0, middle[0]], [0.0, half, middle[1]], [0.0, 0.0, 1.0]])
    for _ in range(ROUNDS):
        off = (normalise(laid_over(newer, move)) - older)[tells]
        spread = 1.48 * float(np.median(np.abs(off))) + 1e-3
        weighted = rows * (np.maximum(0.0, 1 - (off / (OUTLIER * spread)) ** 2) ** 2)[:, None]
        held = np.eye(8) * (spread / SPREAD_PX) ** 2
        step = -np.linalg.solve(weighted.T @ rows + held, weighted.T @ off) / half
        move = move @ frame @ homography(step) @ np.linalg.inv(frame)
    return move


def _rows(
    across: Floats, down: Floats, tells: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], tuple[float, float], float]:
    """Return each place's brightness change by each of eight numbers, and the picture's middle and half width."""
    height, width = across.shape
    middle, half = ((width - 1) / 2, (height - 1) / 2), width / 2
    y, x = np.nonzero(tells)
    x, y = (x - middle[0]) / half, (y - middle[1]) / half
    right, below = across[tells].astype(np.float64), down[tells].astype(np.float64)
    tilt = right * x + below * y
    return np.column_stack([right, right * x, right * y, below, below * x, below * y, tilt * x, tilt * y]), middle, half


def homography(numbers: npt.NDArray[np.float64]) -> Matrix:
    """Return a homography near the identity: shift x with its gradients, shift y with its gradients, tilts."""
    right, right_x, right_y, below, below_x, below_y, tilt_x, tilt_y = numbers.tolist()
    return np.array([[1 + right_x, right_y, right], [below_x, 1 + below_y, below], [-tilt_x, -tilt_y, 1.0]])


def laid_over(image: Image, move: Matrix) -> Image:
    """Warp a picture onto the older one. move: from older pixels."""
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP  # linear interpolation would blur it, each by another amount
    moved = cv2.warpPerspective(image, move, image.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)
