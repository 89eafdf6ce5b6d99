"""Finds discs of a known radius: a circular Hough transform, then a circle fit.

Each edge pixel votes for the two points one radius away along its gradient. Only top faces collect a whole rim's
votes, so touching or half-covered pieces are found, but not print and shadows. Votes are counted on a small picture,
circles fitted at full size.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Floats = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]

EDGE = 14.0
"""Least Sobel gradient of a rim (8-bit gray / 4), about six gray levels."""

SECTORS = 48
RADIUS_SLACK = 0.07
LEAST_SLACK = 2.5
RADIUS_PRIOR = 1.0
"""Weight of the known radius, against fitting lower rims."""

CLOSE, ARRIVED = 1.1, 0.02
"""Final tolerance of the rim, and centre's step that ends the fit, in pixels."""

LEAST_RIM = 12
MIN_SUPPORT = 0.55
"""Share of the rim's sectors that need an edge."""

PLAIN_SUPPORT = 0.85
"""Support that makes trying the lower rim needless."""

LEAST_DROP = 0.7
"""Least distance of distinguishable rims, in pixels."""

VOTE_FLOOR = 0.1
"""Least peak of votes over the radius; a whole rim gives about 0.39."""

MOST = 80
"""Most places examined."""

MIN_APART = 0.9
"""Least distance of two pieces' centres, in diameters."""

INSIDE, OUTSIDE = 0.75, (1.15, 1.7)
"""Radii of the face and of its surroundings, in parts of the disc's."""

EVEN = 0.15
"""Relative brightness difference within one surface."""

DIM = 4.0
"""Added to levels against dark noise."""

LITTLE = 0.7
"""Support below which printed lines and card edges can imitate a rim."""

BARE, CROSSED = 0.8, 0.65
"""Even share of a face that is bare ground; the second with little support."""

GROUND, SCARCE = 0.25, 0.12
"""Bare share of the surroundings for that; the second with little support."""

MOST_HUED, OTHERWISE = 0.9, 0.75
"""Quantile of a face's hue; share of equally bright surroundings beyond it that proves a face."""

SEAM = 3
"""Pixels at a window's border affected by its neighbour."""

ASTRAY = 0.3
"""Farthest end of a fit from its start, in radii."""


class Disc(msgspec.Struct, frozen=True):
    """A circle in pixels. support: visible share of its rim."""

    x: float
    y: float
    radius: float
    support: float


class Edges(msgspec.Struct, frozen=True):
    """Edge pixels with unit gradients. ahead: least position towards the lower rim, times the drop."""

    x: Floats
    y: Floats
    dx: Floats
    dy: Floats
    ahead: Floats


def edges_of(gray: Image) -> Edges:
    gx, gy = cv2.spatialGradient(cv2.GaussianBlur(gray, (3, 3), 0))
    # Flat indices are much faster than rows and columns.
    at = np.flatnonzero(np.asarray(cv2.Canny(gx, gy, 2 * EDGE, 4 * EDGE)) > 0)
    rows = at // gray.shape[1]
    dx, dy = gx.take(at).astype(np.float32), gy.take(at).astype(np.float32)
    length: Floats = np.sqrt(dx * dx + dy * dy)
    anywhere = np.full(len(at), -np.inf, np.float32)
    columns = at - rows * gray.shape[1]
    return Edges(columns.astype(np.float32), rows.astype(np.float32), dx / length, dy / length, anywhere)


def edges_of_each(windows: Sequence[Image]) -> list[Edges]:
    """Return the edges of several pictures of one size, except at upper and lower borders."""
    if not windows:
        return []
    height = windows[0].shape[0]
    tall = edges_of(np.concatenate(windows))
    within = tall.y % height
    inner = (within >= SEAM) & (within < height - SEAM)
    bounds = np.searchsorted(tall.y[inner], np.arange(len(windows) + 1, dtype=np.float32) * height).tolist()
    columns = [values[inner] for values in (tall.x, within, tall.dx, tall.dy, tall.ahead)]
    return [Edges(*(values[start:end] for values in columns)) for start, end in pairwise(bounds)]


def likely_centres(gray: Image, radius: float, usable: Floats) -> list[tuple[float, float]]:
    """Return likely disc centres in a rectified picture, at most MOST, best first. usable: mask (0.0 or 1.0)."""
    votes = cv2.multiply(_votes(edges_of(gray), gray.shape, radius), usable)
    size = 2 * int(radius / 2) + 1
    highest = cv2.dilate(votes, np.ones((size, size), np.uint8))
    high = np.flatnonzero(votes > VOTE_FLOOR * radius)
    heights = votes.take(high)
    tops = np.flatnonzero(heights == np.asarray(highest).take(high))
    best = high[tops[np.argsort(-heights[tops], kind="stable")][:MOST]]
    return [(float(column), float(row)) for row, column in (divmod(at, gray.shape[1]) for at in best.tolist())]


def _votes(edges: Edges, shape: tuple[int, ...], radius: float) -> Floats:
    room = int(radius) + 2  # around the picture, for all votes
    height, width = shape[0] + 2 * room, shape[1] + 2 * room
    along_x, along_y = radius * edges.dx, radius * edges.dy
    x, y = edges.x + np.float32(room + 0.5), edges.y + np.float32(room + 0.5)
    column = np.concatenate([x - along_x, x + along_x]).astype(np.int32)
    row = np.concatenate([y - along_y, y + along_y]).astype(np.int32)
    counts = np.bincount(row * width + column, minlength=height * width).reshape(height, width)
    inner = counts[room:-room, room:-room].astype(np.float32)
    return np.asarray(cv2.GaussianBlur(inner, (0, 0), 1.6), np.float32)


def best_fit(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float] = (0.0, 0.0)) -> Disc | None:
    """Return the top face near a place, or None. drop: offset of the lower rim, whose centre the place may be."""
    thick = drop[0] ** 2 + drop[1] ** 2 >= LEAST_DROP**2
    near = _around(edges, x, y, radius, 2 * slack(radius) + (abs(drop[0]) + abs(drop[1]) if thick else 0.0))
    if not thick:
        return _fit(near, x, y, radius, drop)
    rims = _raise_edges(near, drop)
    best = _fit(rims, x, y, radius, drop)
    if best is not None and best.support >= PLAIN_SUPPORT:
        return best
    other = _fit(rims, x - drop[0], y - drop[1], radius, drop)
    return max((disc for disc in (best, other) if disc is not None), key=lambda disc: disc.support, default=None)


def _around(edges: Edges, x: float, y: float, radius: float, room: float) -> Edges:
    ox, oy = edges.x - np.float32(x), edges.y - np.float32(y)
    near = np.abs(np.sqrt(ox * ox + oy * oy) - np.float32(radius)) < room
    return Edges(edges.x[near], edges.y[near], edges.dx[near], edges.dy[near], edges.ahead[near])


def _raise_edges(edges: Edges, drop: tuple[float, float]) -> Edges:
    """Add each edge moved by `drop`, as it may be the lower rim's."""
    return Edges(
        np.concatenate([edges.x, edges.x - np.float32(drop[0])]),
        np.concatenate([edges.y, edges.y - np.float32(drop[1])]),
        np.concatenate([edges.dx, edges.dx]),
        np.concatenate([edges.dy, edges.dy]),
        np.concatenate([edges.ahead, np.zeros_like(edges.ahead)]),
    )


def slack(radius: float) -> float:
    """Return the tolerance of a rim in pixels."""
    return max(LEAST_SLACK, RADIUS_SLACK * radius)


def _fit(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float]) -> Disc | None:
    fitted = radius
    drop_x, drop_y = np.float32(drop[0]), np.float32(drop[1])
    for tolerance in (slack(radius), 1.6, CLOSE, CLOSE):
        ox, oy = edges.x - np.float32(x), edges.y - np.float32(y)
        far = np.sqrt(ox * ox + oy * oy) + np.float32(1e-6)
        rim = (np.abs(far - fitted) < tolerance) & (np.abs(ox * edges.dx + oy * edges.dy) > 0.9 * far)
        rim &= ox * drop_x + oy * drop_y >= edges.ahead
        ox, oy, far = ox[rim], oy[rim], far[rim]
        if len(far) < LEAST_RIM:
            return None
        step = _circle(ox, oy, far, radius)
        x, y, fitted = x + step[0], y + step[1], radius + step[2]
        if tolerance == CLOSE and abs(step[0]) + abs(step[1]) < ARRIVED:
            break
    if abs(fitted - radius) > RADIUS_SLACK * radius:
        return None
    turns = np.arctan2(oy - step[1], ox - step[0])
    sectors = ((turns + np.pi) * (SECTORS / (2 * np.pi))).astype(np.int32) % SECTORS
    support = np.count_nonzero(np.bincount(sectors, minlength=SECTORS)) / SECTORS
    return Disc(x, y, fitted, support) if support >= MIN_SUPPORT else None


def _circle(ox: Floats, oy: Floats, far: Floats, radius: float) -> tuple[float, float, float]:
    """Return a Gauss-Newton step (x, y, change from `radius`). ox, oy, far: offsets and distances from the centre."""
    rows = np.empty((4, len(far)), np.float32)
    np.divide(ox, far, out=rows[0])
    np.divide(oy, far, out=rows[1])
    rows[2] = 1.0
    np.subtract(far, np.float32(radius), out=rows[3])
    (xx, xy, x1, xr), (_, yy, y1, yr), (_, _, n, r1), _ = np.einsum("in,jn->ij", rows, rows).tolist()
    n += RADIUS_PRIOR * len(far)
    # Cramer's rule: for three unknowns faster than numpy.
    first, second, third = yy * n - y1 * y1, x1 * y1 - xy * n, xy * y1 - yy * x1
    size = xx * first + xy * second + x1 * third
    if size < 1e-6 * n**3:
        return 0.0, 0.0, 0.0
    fourth, fifth, sixth = xx * n - x1 * x1, xy * x1 - xx * y1, xx * yy - xy * xy
    return (
        (first * xr + second * yr + third * r1) / size,
        (second * xr + fourth * yr + fifth * r1) / size,
        (third * xr + fifth * yr + sixth * r1) / size,
    )


def hollow(gray: Image, disc: Disc) -> bool:
    """Return True for a printed outline: bare ground inside, or chance lines. gray: the disc's window."""
    far = _far(gray.shape, disc)
    inside = np.sort(gray[far < INSIDE**2], kind="stable")
    around = np.sort(gray[(far > OUTSIDE[0] ** 2) & (far < OUTSIDE[1] ** 2)], kind="stable")
    if not inside.size or not around.size:
        return False
    middle = _level(inside, 0.5)
    if disc.support < LITTLE:
        return _even(inside, middle) >= CROSSED and _even(around, middle) >= SCARCE
    return abs(middle / _level(around, GROUND) - 1) < EVEN and _even(inside, middle) >= BARE


def is_tinted(colour: Image, disc: Disc) -> bool:
    """Return True if a face differs in hue from equally bright surroundings, or, without any, if its support is at
    least LITTLE. colour: the disc's window, BGR."""
    far = _far(colour.shape, disc)
    bright = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY) + np.float32(DIM)
    face = far < INSIDE**2
    around = (far > OUTSIDE[0] ** 2) & (far < OUTSIDE[1] ** 2)
    around &= np.abs(bright / np.median(bright[face]) - 1) < EVEN
    if not around.any():
        return disc.support >= LITTLE
    own = np.median(colour[face], axis=0) + DIM
    another = bool(np.ptp(np.log(own / (np.median(colour[around], axis=0) + DIM))) > EVEN)
    if disc.support >= LITTLE or not another:
        return another
    off = np.ptp(np.log((colour + np.float32(DIM)) / own), axis=2)
    least = max(EVEN, float(np.quantile(off[face], MOST_HUED)))
    return bool(np.mean(off[around] > least) >= OTHERWISE)


def _far(shape: tuple[int, ...], disc: Disc) -> Floats:
    """Return each pixel's squared distance from the centre, in radii."""
    height, width = shape[:2]
    across = (np.arange(width, dtype=np.float32) - np.float32(disc.x)) ** 2
    down = (np.arange(height, dtype=np.float32) - np.float32(disc.y)) ** 2
    return np.asarray((down[:, None] + across) / np.float32(disc.radius**2), np.float32)


def _level(ranked: Image, share: float) -> float:
    place = share * (len(ranked) - 1)
    low = int(place)
    below, above = float(ranked[low]), float(ranked[min(low + 1, len(ranked) - 1)])
    return below + (above - below) * (place - low) + DIM


def _even(levels: Image, middle: float) -> float:
    return float(np.mean(np.abs((levels + np.float32(DIM)) / np.float32(middle) - 1) < EVEN))


def are_apart(one: tuple[float, float], other: Disc, radius: float, least: float = 2 * MIN_APART) -> bool:
    """Return True if two centres are at least `least` radii apart."""
    return (one[0] - other.x) ** 2 + (one[1] - other.y) ** 2 >= (least * radius) ** 2
