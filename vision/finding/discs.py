"""Discs of a known size: edges vote for centres, then a circle is fitted to what agrees.

Every edge pixel votes for the two points one radius away along its gradient; a top face collects the votes of its whole
rim, so touching, half-covered and oddly lit pieces are found, and printed lines, shadows and symbols are not.
(Fixed-radius circular Hough transform by gradient direction.)
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Floats = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]

EDGE = 14.0
"""Least Sobel gradient (of 8-bit gray, divided by 4) of a rim: about six gray levels across it."""

SECTORS = 48
RADIUS_SLACK = 0.07
RADIUS_PRIOR = 1.0
"""Weight of the known radius against all rim pixels: a side's lower rim must not widen the top face."""

MIN_SUPPORT = 0.55
"""Share of the rim's sectors that must show an edge."""

VOTE_FLOOR = 0.06
"""Least height of a peak of votes over the radius; a whole rim gives about 0.27."""

MIN_APART = 0.9
"""Two pieces' centres are at least this many diameters apart; less with less support."""


class Disc(msgspec.Struct, frozen=True):
    """A circle in sheet pixels. support: share of its rim that was seen."""

    x: float
    y: float
    radius: float
    support: float


class _Edges(msgspec.Struct, frozen=True):
    """Edge pixels: places, unit gradients."""

    x: Floats
    y: Floats
    dx: Floats
    dy: Floats


def find_discs(sheet: Image, radius: float, usable: Image | None = None, foot: Matrix | None = None) -> list[Disc]:
    """All discs of about `radius` pixels in a rectified BGR or gray picture, best first.

    usable: mask (uint8) of where centres may lie. foot: homography from a top face's centre to where the centre of its
    lower rim appears; of a thick piece both rims may be found, and the top face is the one that is seen all around.
    """
    edges = _edges(sheet)
    votes = _votes(edges, sheet.shape[:2], radius)
    if usable is not None:
        votes = votes * (usable > 0)
    found: list[Disc] = []
    for x, y in _peaks(votes, radius):
        starts = [(x, y)] if foot is None else [(x, y), *_shifted(x, y, foot)]
        fits = [fit for start in starts if (fit := _fit(edges, *start, radius)) is not None]
        disc = max(fits, key=lambda fit: fit.support, default=None)
        if disc is not None and not any(_clash(disc, other, radius) for other in found):
            found.append(disc)
    return found


def _edges(sheet: Image) -> _Edges:
    gray = cv2.cvtColor(sheet, cv2.COLOR_BGR2GRAY) if sheet.ndim == 3 else sheet
    gray = cv2.GaussianBlur(gray, (3, 3), 0)
    gx = cv2.Sobel(gray, cv2.CV_16S, 1, 0)
    gy = cv2.Sobel(gray, cv2.CV_16S, 0, 1)
    thin = cv2.Canny(gx, gy, 2 * EDGE, 4 * EDGE)
    rows, columns = np.nonzero(thin)
    slope = np.stack([gx[rows, columns], gy[rows, columns]]).astype(np.float32)
    dx, dy = slope / np.linalg.norm(slope, axis=0)
    return _Edges(columns.astype(np.float32), rows.astype(np.float32), dx, dy)


def _votes(edges: _Edges, shape: tuple[int, ...], radius: float) -> Floats:
    """How much rim surrounds each pixel, as a share of a whole rim (about: it is blurred)."""
    height, width = shape[:2]
    counts = np.zeros(height * width, np.float32)
    for sign in (-radius, radius):
        x = np.rint(edges.x + sign * edges.dx).astype(np.int32)
        y = np.rint(edges.y + sign * edges.dy).astype(np.int32)
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        counts += np.bincount(y[inside] * width + x[inside], minlength=height * width).astype(np.float32)
    blurred = cv2.GaussianBlur(counts.reshape(height, width), (0, 0), 1.6)
    return np.asarray(blurred, np.float32)


def _peaks(votes: Floats, radius: float) -> list[tuple[float, float]]:
    """Local maxima of the votes, highest first."""
    floor = VOTE_FLOOR * radius
    size = 2 * int(radius / 2) + 1
    tops = (votes == cv2.dilate(votes, np.ones((size, size), np.uint8))) & (votes > floor)
    rows, columns = np.nonzero(tops)
    order = np.argsort(-votes[rows, columns])[:80]
    return [(float(columns[i]), float(rows[i])) for i in order]


def _fit(edges: _Edges, x: float, y: float, radius: float) -> Disc | None:
    """A circle through the edge pixels near the rim whose gradient points to or from the centre."""
    slack = max(2.5, RADIUS_SLACK * radius)
    reach = radius + slack
    near = (np.abs(edges.x - x) < reach) & (np.abs(edges.y - y) < reach)
    ex, ey, dx, dy = edges.x[near], edges.y[near], edges.dx[near], edges.dy[near]
    fitted = radius
    rim = np.zeros(0, np.bool_)
    for tolerance in (slack, 1.6, 1.1):
        ox, oy = ex - x, ey - y
        far = np.sqrt(ox * ox + oy * oy) + 1e-6
        radial = np.abs(ox * dx + oy * dy) / far
        rim = (np.abs(far - fitted) < tolerance) & (radial > 0.9)
        if np.count_nonzero(rim) < 12:
            return None
        x, y, fitted = _circle(ex[rim], ey[rim], (x, y), radius)
    if abs(fitted - radius) > RADIUS_SLACK * radius:
        return None
    turns = np.arctan2(ey[rim] - y, ex[rim] - x)
    sectors = np.unique(((turns + np.pi) * (SECTORS / (2 * np.pi))).astype(np.int32) % SECTORS)
    support = len(sectors) / SECTORS
    return Disc(x, y, fitted, support) if support >= MIN_SUPPORT else None


def _circle(ex: Floats, ey: Floats, start: tuple[float, float], radius: float) -> tuple[float, float, float]:
    """One Gauss-Newton step for the centre and radius that fit the points; the radius is drawn to the known one."""
    ox, oy = ex - start[0], ey - start[1]
    far = np.sqrt(ox * ox + oy * oy) + 1e-6
    matrix = np.column_stack([ox / far, oy / far, np.ones_like(far)])
    target = far - radius
    prior = np.sqrt(RADIUS_PRIOR * len(ex))
    matrix = np.vstack([matrix, [0, 0, prior]])
    target = np.append(target, 0.0)
    step = np.linalg.lstsq(matrix, target, rcond=None)[0]
    return start[0] + float(step[0]), start[1] + float(step[1]), radius + float(step[2])


def _shifted(x: float, y: float, foot: Matrix) -> list[tuple[float, float]]:
    """Where the top face is if the lower rim was found, and the other way round."""
    below = foot @ np.array([x, y, 1.0])
    dx, dy = float(below[0] / below[2]) - x, float(below[1] / below[2]) - y
    return [(x - dx, y - dy), (x + dx, y + dy)] if dx * dx + dy * dy > 1.0 else []


def _clash(one: Disc, other: Disc, radius: float) -> bool:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 < (2 * MIN_APART * radius) ** 2
