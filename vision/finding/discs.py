"""Discs of a known size: edges vote for centres, then a circle is fitted to what agrees.

Every edge pixel votes for the two points one radius away along its gradient; a top face collects the votes of its whole
rim, so touching, half-covered and oddly lit pieces are found, and printed lines, shadows and symbols are not.
(Fixed-radius circular Hough transform by gradient direction.) Votes are counted on a small picture of the whole mat;
circles are fitted in a window of the full picture around each place that was voted for.
"""

from __future__ import annotations

from collections.abc import Sequence

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
LEAST_SLACK = 2.5
RADIUS_PRIOR = 1.0
"""Weight of the known radius against all rim pixels: a side's lower rim must not widen the top face."""

LEAST_RIM = 12
MIN_SUPPORT = 0.55
"""Share of the rim's sectors that must show an edge."""

PLAIN_SUPPORT = 0.85
"""A circle of which so much is seen is the top face's, not the lower rim's: no other is tried."""

VOTE_FLOOR = 0.1
"""Least height of a peak of votes over the radius; a whole rim gives about 0.39."""

MOST = 80
"""Places that are looked at."""

MIN_APART = 0.9
"""Two pieces' centres are at least this many diameters apart; less with less support."""

ASTRAY = 0.3
"""A fit may end this many radii from where it was started, at most."""


class Disc(msgspec.Struct, frozen=True):
    """A circle in pixels. support: share of its rim that was seen."""

    x: float
    y: float
    radius: float
    support: float


class Edges(msgspec.Struct, frozen=True):
    """Edge pixels: places, unit gradients."""

    x: Floats
    y: Floats
    dx: Floats
    dy: Floats


def edges_of(gray: Image) -> Edges:
    """The edge pixels of a gray picture."""
    gx, gy = cv2.spatialGradient(cv2.GaussianBlur(gray, (3, 3), 0))
    rows, columns = np.nonzero(cv2.Canny(gx, gy, 2 * EDGE, 4 * EDGE))
    dx, dy = gx[rows, columns].astype(np.float32), gy[rows, columns].astype(np.float32)
    length: Floats = np.sqrt(dx * dx + dy * dy)
    return Edges(columns.astype(np.float32), rows.astype(np.float32), dx / length, dy / length)


def likely_centres(gray: Image, radius: float, usable: Floats) -> list[tuple[float, float]]:
    """Where discs of about `radius` pixels may be in a rectified gray picture, likeliest first.

    usable: mask (0.0 or 1.0) of where centres may lie.
    """
    votes = cv2.multiply(_votes(edges_of(gray), gray.shape, radius), usable)
    size = 2 * int(radius / 2) + 1
    highest = cv2.dilate(votes, np.ones((size, size), np.uint8))
    rows, columns = np.nonzero(votes > VOTE_FLOOR * radius)
    heights = votes[rows, columns]
    tops = np.nonzero(heights == highest[rows, columns])[0]
    order = tops[np.argsort(-heights[tops])][:MOST]
    return [(float(columns[i]), float(rows[i])) for i in order]


def _votes(edges: Edges, shape: tuple[int, ...], radius: float) -> Floats:
    """How much rim surrounds each pixel, as a share of a whole rim (about: it is blurred)."""
    height, width = shape[:2]
    along_x, along_y = radius * edges.dx, radius * edges.dy
    x = np.concatenate([edges.x - along_x, edges.x + along_x])
    y = np.concatenate([edges.y - along_y, edges.y + along_y])
    column, row = (x + np.float32(0.5)).astype(np.int32), (y + np.float32(0.5)).astype(np.int32)
    inside = (x >= 0) & (column < width) & (y >= 0) & (row < height)
    counts = np.bincount((row * width + column)[inside], minlength=height * width).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(counts.reshape(height, width), (0, 0), 1.6), np.float32)


def best_fit(edges: Edges, starts: Sequence[tuple[float, float]], radius: float) -> Disc | None:
    """The circle of about `radius` of which most is seen, from several starts; None if there is none.

    Of a thick piece both rims may be found: the top face is the one that is seen all around.
    """
    best: Disc | None = None
    span = max(abs(x - starts[0][0]) + abs(y - starts[0][1]) for x, y in starts)
    near = _around(edges, *starts[0], radius, 2 * slack(radius) + span)
    for start in starts:
        disc = _fit(near, *start, radius)
        if disc is not None and (best is None or disc.support > best.support):
            best = disc
        if best is not None and best.support >= PLAIN_SUPPORT:
            break
    return best


def _around(edges: Edges, x: float, y: float, radius: float, room: float) -> Edges:
    """The edge pixels that are about a radius away from a place."""
    ox, oy = edges.x - np.float32(x), edges.y - np.float32(y)
    near = np.abs(np.sqrt(ox * ox + oy * oy) - np.float32(radius)) < room
    return Edges(edges.x[near], edges.y[near], edges.dx[near], edges.dy[near])


def slack(radius: float) -> float:
    """How far from the expected rim an edge may lie."""
    return max(LEAST_SLACK, RADIUS_SLACK * radius)


def _fit(edges: Edges, x: float, y: float, radius: float) -> Disc | None:
    """A circle through the edge pixels near the rim whose gradient points to or from the centre."""
    fitted = radius
    for tolerance in (slack(radius), 1.6, 1.1, 1.1):
        ox, oy = edges.x - np.float32(x), edges.y - np.float32(y)
        far = np.sqrt(ox * ox + oy * oy) + np.float32(1e-6)
        rim = (np.abs(far - fitted) < tolerance) & (np.abs(ox * edges.dx + oy * edges.dy) > 0.9 * far)
        ox, oy, far = ox[rim], oy[rim], far[rim]
        if len(far) < LEAST_RIM:
            return None
        step = _circle(ox, oy, far, radius)
        x, y, fitted = x + step[0], y + step[1], radius + step[2]
    if abs(fitted - radius) > RADIUS_SLACK * radius:
        return None
    turns = np.arctan2(oy - step[1], ox - step[0])
    sectors = ((turns + np.pi) * (SECTORS / (2 * np.pi))).astype(np.int32) % SECTORS
    support = np.count_nonzero(np.bincount(sectors, minlength=SECTORS)) / SECTORS
    return Disc(x, y, fitted, support) if support >= MIN_SUPPORT else None


def _circle(ox: Floats, oy: Floats, far: Floats, radius: float) -> tuple[float, float, float]:
    """One Gauss-Newton step for the centre and radius that fit points around a centre; the radius is drawn to its own.

    ox, oy, far: the points seen from the centre, and their distances from it.
    """
    ux, uy, over = ox / far, oy / far, far - np.float32(radius)
    rows = np.stack([ux, uy, np.ones_like(ux), over])
    sums = np.einsum("in,jn->ij", rows, rows).astype(np.float64)
    normal = sums[:3, :3]
    normal[2, 2] += RADIUS_PRIOR * len(far)
    step = np.linalg.solve(normal, sums[:3, 3])
    return float(step[0]), float(step[1]), float(step[2])


def counterparts(x: float, y: float, foot: Matrix) -> list[tuple[float, float]]:
    """Where the top face is if the lower rim was found at a place, and the other way round.

    foot: homography from a top face's centre to where the centre of its lower rim appears.
    """
    below = foot @ np.array([x, y, 1.0])
    dx, dy = float(below[0] / below[2]) - x, float(below[1] / below[2]) - y
    return [(x - dx, y - dy), (x + dx, y + dy)] if dx * dx + dy * dy > 1.0 else []


def apart(one: tuple[float, float], other: Disc, radius: float, least: float = 2 * MIN_APART) -> bool:
    """True if two discs' centres are far enough from each other. least: in radii."""
    return (one[0] - other.x) ** 2 + (one[1] - other.y) ** 2 >= (least * radius) ** 2
