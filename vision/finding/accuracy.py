"""Bounds pieces' position errors from the camera's view."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from engine.table import Arrangement
from vision.finding.zones import zone_of
from vision.mat import Mat
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import AS_THICK_MM
from vision.registration.lens import Lens, Points, typical_lens
from vision.registration.markers import MarkerFit, corners_mm
from vision.registration.rectify import Projection, apply

Floats = npt.NDArray[np.float64]

OFF_PX = 0.4
"""Error of a piece's outline in camera pixels."""

OFF_MARKER = 2.0
"""Error of a whole marker relative to its corners' residual."""

OFF_HEIGHT_MM = AS_THICK_MM
"""Error of the upper face's height, as tolerated at enrolment."""

PILED = 54
"""Most cards in a pile (Fence's deck)."""

OFF_CARD_MM = 1.2
"""Error of a card's outline, from overlaps and inexact enrolment."""

OFF_MM = 0.2
"""Error of print and mat."""

UNTOLD_K1 = 0.08
"""Spread of an uncalibrated lens' distortion with fewer than four markers."""

OFF_K1 = 0.08
"""Error of k1 from four markers per squared pixel of residual, in simulation."""

TELLING = 4
"""Markers needed to estimate distortion."""


def errors_mm(fit: MarkerFit, mat: Mat, places: Points, pieces: PieceSet, *, measured_lens: bool = False) -> Floats:
    """Return radii (mm) around reported positions (N x 2 mm, one set) that contain 95 % of pieces (`bench_places`)."""
    if not len(places):
        return np.zeros(0)
    projection, height_mm = fit.projection, pieces.thickness_mm
    step = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    at = projection.pixels((places[:, None] + step).reshape(-1, 2), height_mm).reshape(-1, 3, 2)
    each = np.stack([at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]], axis=2)  # pixels a millimetre: right and down
    raised = projection.pixels(places, height_mm + 1.0) - at[:, 0]
    pixel = 1.0 / np.linalg.svd(each, compute_uv=False)[:, -1]
    lean = np.linalg.norm(np.linalg.solve(each, raised[..., None])[..., 0], axis=1)
    outline = OFF_CARD_MM if pieces.shape == "card" else OFF_MM
    piles = [zone for zone in mat.zones if zone.set == pieces.name and zone.order is Arrangement.PILE]
    deep = np.array([zone_of(x, y, piles) is not None for x, y in places.tolist()])
    high = np.where(deep, PILED * pieces.thickness_mm, OFF_HEIGHT_MM)
    whole = (OFF_PX * pixel) ** 2 + (high * lean) ** 2 + outline**2
    for other in _others(fit, mat, measured_lens=measured_lens):
        back = np.asarray(np.linalg.inv(other.at_height(height_mm)), np.float64)
        whole += np.square(apply(back, other.lens.undistort(at[:, 0])) - places).sum(axis=1)
    return np.asarray(np.sqrt(whole), np.float64)


def _others(fit: MarkerFit, mat: Mat, *, measured_lens: bool) -> Iterator[Projection]:
    """Yield alternative projections: a marker shifted, or another distortion."""
    known = fit.projection
    marked = [corners_mm(marker) for marker in mat.markers if marker.id in fit.ids]
    width, height = mat.size_mm
    held = np.concatenate(marked or [np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)])
    seen = known.pixels(held)
    for number in range(len(marked)):
        for axis in (0, 1):
            moved = seen.copy()
            moved[4 * number : 4 * number + 4, axis] += OFF_MARKER * fit.error_px
            yield _through(held, moved, known.lens)
    if not measured_lens:
        k1 = known.lens.distortion[0] + (
            min(OFF_K1 * fit.error_px**2, UNTOLD_K1) if len(marked) >= TELLING else UNTOLD_K1
        )
        yield _through(held, seen, typical_lens(*known.lens.size, k1))


def _through(held: Points, seen: Points, lens: Lens) -> Projection:
    return Projection(np.asarray(cv2.findHomography(held, lens.undistort(seen))[0], np.float64), lens)
