"""Finds discs of a known size: edges vote for centres, then a circle is fitted to the edges that agree.

Every edge pixel votes for the two points one radius away along its gradient; a top face collects the votes of its whole
rim, so touching, half-covered and oddly lit pieces are found, and printed lines, shadows and symbols are not.
(Fixed-radius circular Hough transform by gradient direction.) Votes are counted on a small picture of the whole mat;
circles are fitted in a window of the full picture around each place that was voted for.
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
"""Least Sobel gradient (of 8-bit gray, divided by 4) of a rim: about six gray levels across it."""

SECTORS = 48
RADIUS_SLACK = 0.07
LEAST_SLACK = 2.5
RADIUS_PRIOR = 1.0
"""Weight of the known radius against all rim pixels: a side's lower rim must not widen the top face."""

CLOSE, ARRIVED = 1.1, 0.02
"""Pixels from a circle within which the rim lies in the end; a step of its centre after which it goes no further."""

LEAST_RIM = 12
MIN_SUPPORT = 0.55
"""Share of the rim's sectors that must show an edge."""

PLAIN_SUPPORT = 0.85
"""A circle of which so much is seen is the top face's, not the lower rim's: no other is tried."""

LEAST_DROP = 0.7
"""Pixels from which the two rims of a piece are told apart."""

VOTE_FLOOR = 0.1
"""Least height of a peak of votes over the radius; a whole rim gives about 0.39."""

MOST = 80
"""Places that are looked at."""

MIN_APART = 0.9
"""Two pieces' centres are at least this many diameters apart; less with less support."""

INSIDE, OUTSIDE = 0.75, (1.15, 1.7)
"""Parts of a disc's radius: within is its face, beyond is what it lies on."""

EVEN = 0.15
"""Brightness that differs by less, in parts of it, is that of the same ground."""

DIM = 4.0
"""Added to every level, so that noise in the dark is no difference."""

LITTLE = 0.7
"""Support below which so little of a rim is seen that it may be made up of printed lines and the edge of a card."""

BARE, CROSSED = 0.8, 0.65
"""So much of what looks like a face must be even for there to be none; the second where little of the rim is seen."""

GROUND, SCARCE = 0.25, 0.12
"""So much of what is around must be bare ground for that; the second where little of the rim is seen."""

MOST_HUED, OTHERWISE = 0.9, 0.75
"""Share of a face that its hue is told from; so much of what is as bright around it must be of another hue than all of
that for a face to be there of whose rim little is seen.
"""

SEAM = 3
"""So near the border of a window its neighbour makes edges."""

ASTRAY = 0.3
"""A fit may end this many radii from where it was started, at most."""


class Disc(msgspec.Struct, frozen=True):
    """A circle in pixels. support: share of its rim that was seen."""

    x: float
    y: float
    radius: float
    support: float


class Edges(msgspec.Struct, frozen=True):
    """Edge pixels: places, unit gradients, how far towards the lower rim (times the drop) they must lie to count."""

    x: Floats
    y: Floats
    dx: Floats
    dy: Floats
    ahead: Floats


def edges_of(gray: Image) -> Edges:
    """The edge pixels of a gray picture."""
    gx, gy = cv2.spatialGradient(cv2.GaussianBlur(gray, (3, 3), 0))
    # Pixels by their number in the flattened picture: looked up many times quicker than by row and column.
    at = np.flatnonzero(np.asarray(cv2.Canny(gx, gy, 2 * EDGE, 4 * EDGE)) > 0)
    rows = at // gray.shape[1]
    dx, dy = gx.take(at).astype(np.float32), gy.take(at).astype(np.float32)
    length: Floats = np.sqrt(dx * dx + dy * dy)
    anywhere = np.full(len(at), -np.inf, np.float32)
    columns = at - rows * gray.shape[1]
    return Edges(columns.astype(np.float32), rows.astype(np.float32), dx / length, dy / length, anywhere)


def edges_of_each(windows: Sequence[Image]) -> list[Edges]:
    """The same of several pictures of one size: found in one tall picture, but for its seams."""
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
    """Return where discs of about `radius` pixels may be in a rectified gray picture, likeliest first. usable: mask
    (0.0 or 1.0) of where centres may be."""
    votes = cv2.multiply(_votes(edges_of(gray), gray.shape, radius), usable)
    size = 2 * int(radius / 2) + 1
    highest = cv2.dilate(votes, np.ones((size, size), np.uint8))
    high = np.flatnonzero(votes > VOTE_FLOOR * radius)
    heights = votes.take(high)
    tops = np.flatnonzero(heights == np.asarray(highest).take(high))
    best = high[tops[np.argsort(-heights[tops], kind="stable")][:MOST]]
    return [(float(column), float(row)) for row, column in (divmod(at, gray.shape[1]) for at in best.tolist())]


def _votes(edges: Edges, shape: tuple[int, ...], radius: float) -> Floats:
    """Return how much rim surrounds each pixel, as a share of a whole rim (about: it is blurred)."""
    room = int(radius) + 2  # around the picture: no vote falls farther out, so that none need be sorted out
    height, width = shape[0] + 2 * room, shape[1] + 2 * room
    along_x, along_y = radius * edges.dx, radius * edges.dy
    x, y = edges.x + np.float32(room + 0.5), edges.y + np.float32(room + 0.5)
    column = np.concatenate([x - along_x, x + along_x]).astype(np.int32)
    row = np.concatenate([y - along_y, y + along_y]).astype(np.int32)
    counts = np.bincount(row * width + column, minlength=height * width).reshape(height, width)
    inner = counts[room:-room, room:-room].astype(np.float32)
    return np.asarray(cv2.GaussianBlur(inner, (0, 0), 1.6), np.float32)


def best_fit(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float] = (0.0, 0.0)) -> Disc | None:
    """The top face of about `radius` near a place, of which most is seen; None if there is none.

    drop: by how much the lower rim of a thick piece appears beside the upper one. Its half on that side is seen instead
    of, or beside, the upper rim's: both vote for one centre. The place may be that of either rim.
    """
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
    """The edge pixels that are about a radius away from a place."""
    ox, oy = edges.x - np.float32(x), edges.y - np.float32(y)
    near = np.abs(np.sqrt(ox * ox + oy * oy) - np.float32(radius)) < room
    return Edges(edges.x[near], edges.y[near], edges.dx[near], edges.dy[near], edges.ahead[near])


def _raise_edges(edges: Edges, drop: tuple[float, float]) -> Edges:
    """The edges, and after them the same again taken for the lower rim's and moved to where the upper one is."""
    return Edges(
        np.concatenate([edges.x, edges.x - np.float32(drop[0])]),
        np.concatenate([edges.y, edges.y - np.float32(drop[1])]),
        np.concatenate([edges.dx, edges.dx]),
        np.concatenate([edges.dy, edges.dy]),
        np.concatenate([edges.ahead, np.zeros_like(edges.ahead)]),
    )


def slack(radius: float) -> float:
    """Return how far from the expected rim an edge may be."""
    return max(LEAST_SLACK, RADIUS_SLACK * radius)


def _fit(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float]) -> Disc | None:
    """A circle through the edge pixels near the rim whose gradient points to or from the centre."""
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
    """One Gauss-Newton step for the centre and radius that fit points around a centre; the radius is drawn to its own.

    ox, oy, far: the points seen from the centre, and their distances from it.
    """
    rows = np.empty((4, len(far)), np.float32)
    np.divide(ox, far, out=rows[0])
    np.divide(oy, far, out=rows[1])
    rows[2] = 1.0
    np.subtract(far, np.float32(radius), out=rows[3])
    (xx, xy, x1, xr), (_, yy, y1, yr), (_, _, n, r1), _ = np.einsum("in,jn->ij", rows, rows).tolist()
    n += RADIUS_PRIOR * len(far)
    # Cramer's rule: three unknowns are solved sooner than numpy is called.
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
    """True if there is no piece: what looked like a rim is printed around bare ground, as bright inside as outside.

    Printed lines that make up a rim by chance, together with the edge of a card, may also run through it.
    gray: the window in which the disc was fitted.
    """
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
    """True if a face has another hue than what is as bright around it: a red counter where a lamp is mirrored.

    Where little of the rim is seen, hardly anything around may be of the face's hue: what is printed on bare ground and
    seems to be a rim has the same ground on both sides. colour: the window in which the disc was fitted, BGR.
    """
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
    """The square of how far each pixel of a window is from a disc's centre, in radii."""
    height, width = shape[:2]
    across = (np.arange(width, dtype=np.float32) - np.float32(disc.x)) ** 2
    down = (np.arange(height, dtype=np.float32) - np.float32(disc.y)) ** 2
    return np.asarray((down[:, None] + across) / np.float32(disc.radius**2), np.float32)


def _level(ranked: Image, share: float) -> float:
    """The gray level that a share of the pixels is below, `DIM` added to it. ranked: they all, the darkest first."""
    place = share * (len(ranked) - 1)
    low = int(place)
    below, above = float(ranked[low]), float(ranked[min(low + 1, len(ranked) - 1)])
    return below + (above - below) * (place - low) + DIM


def _even(levels: Image, middle: float) -> float:
    """Share of the pixels that are about as bright as the middle of the face."""
    return float(np.mean(np.abs((levels + np.float32(DIM)) / np.float32(middle) - 1) < EVEN))


def are_apart(one: tuple[float, float], other: Disc, radius: float, least: float = 2 * MIN_APART) -> bool:
    """True if two discs' centres are far enough from each other. least: in radii."""
    return (one[0] - other.x) ** 2 + (one[1] - other.y) ** 2 >= (least * radius) ** 2
