"""Measures what lies on the mat, of whatever size: outline, diameter or sides, thickness, all in millimetres.

The finder of `pieces` looks for pieces of one known size; here nothing is known but the mat. Discs of all sizes are
looked for at once, those that fit the edges best are kept, and of the circles of one piece (a printed ring, the rim of
its face, its outline) the outermost. Rectangles are what stands out from the ground and fills its corners.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image, Pyramid
from vision.finding import discs
from vision.finding.discs import Disc, Edges
from vision.finding.ground import stands_out
from vision.finding.pieces import FINEST, MARGIN_MM, SEARCH_RADIUS, density, shrink_for
from vision.finding.where import usable
from vision.mat import Mat
from vision.recognition.measures import Measured, Outline
from vision.recognition.naming import PieceSet
from vision.registration.rectify import Projection, RectifiedSheet, apply

SMALLEST_MM, LARGEST_MM = 13.0, 110.0
"""Diameters and sides that are looked for: more than pieces may have, so that it can be said what is too large."""

STEP = 1.12
"""Each radius for which places are voted is so much larger than the one before."""

FINELY = (0.96, 1.0, 1.04)
"""So much larger than that are the radii with which a disc is fitted there: a fit reaches about 3% to both sides."""

PLACES = 6
"""Places that are looked at for each radius."""

RIM = 0.72
"""Share of a rim that must be seen: the edge of a shadow shows half of one."""

AS_GOOD = 0.14
"""The outermost circle of a piece may have so much less of its rim in sight than the best of its circles."""

WITHIN = 0.35
"""Circles whose centres are nearer than so many of the larger one's radii are of one piece."""

SETTLED_PX, MOST_FITS = 0.05, 6
"""A fit is repeated with the radius that it found until that changes by less."""

CORNERED = 0.88
"""Share of its upright rectangle that a rectangle fills at least: a disc fills 0.785."""

PLAIN = 0.93
"""The same of its own hull: a hand or two pieces that touch fill less."""

LEAST_AREA_MM2 = 60.0

NEARLY, LEAST_SQUARE_MM = 0.97, 20.0
"""A disc that is nearly as wide as what seems a rectangle is meant by it; in one as small as the second any is."""

SQUARE = 1.08
"""Longer side over shorter side up to which a rectangle is a square."""

SHADOWS = (1.0, 0.92, 0.85)
"""A disc is so much smaller than what stands out with its shadow and its side."""

MOSTLY = 0.62
"""Share of what stands out that a disc covers at least."""

RAYS = 96
CLEARLY = 0.45
"""The outermost edge counts that is so steep, against the steepest on its ray."""

ROUNDS = 8
NUDGE_MM = 0.05
EDGE_MM, TALL_MM = 0.15, 4.0
"""By how much an edge may be seen beside its place, and a thickness be another than was thought before."""

TALLEST_MM = 30.0
SURE_MM = 1.2
"""A thickness is measured if it is known to so much."""

FLAT_MM = 2.5
"""Who seems to be thinner shows one rim alone, as a thick piece does whose side is as dark as the mat or its shadow."""

CLOSE_MM = 0.4
"""Farther off, on the whole, the outline is no cylinder's."""

Doubles = npt.NDArray[np.float64]


class MeasuredPiece(msgspec.Struct, frozen=True):
    """Something that lies on the mat. support: share of its outline that was seen; angle_deg: 0 for a disc.

    edge: it reaches over the edge of the mat, as an arm does.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    support: float
    measured: Measured
    edge: bool = False


def measure_pieces(
    picture: Pyramid, projection: Projection, mat: Mat, pieces: PieceSet
) -> tuple[list[MeasuredPiece], list[MeasuredPiece]]:
    """The pieces on the mat, and what else stands out from it, each the largest first.

    pieces: what they may be: of cards rectangles count, else discs and squares. Their thickness is taken where none can
    be measured.
    """
    table = _Table(projection, mat, pieces.thickness_mm)
    flat, blots = table.blots(picture)
    shapes = [table.shape_of(flat, blot) for blot in blots]
    cornered = [one for one in shapes if one.measured.outline is not Outline.OTHER and _long(one) >= SMALLEST_MM]
    if pieces.shape == "card":
        found = [one for one in cornered if not one.edge]
    else:
        rounds = [table.lain(disc, picture) for disc in table.discs(picture, blots)]
        square = [one for one in cornered if not one.edge and not any(_is_round(one, disc) for disc in rounds)]
        found = [*square, *rounds]
    found = _uppermost(sorted(found, key=_long, reverse=True))
    rest = [one for one in shapes if not any(_apart(one, piece) < max(_long(one), _long(piece)) / 2 for piece in found)]
    return found, sorted(rest, key=_long, reverse=True)


def _is_round(rectangle: MeasuredPiece, disc: MeasuredPiece) -> bool:
    """True if what seems to have corners is a disc with its shadow."""
    short = rectangle.measured.width_mm
    return _apart(rectangle, disc) < short / 2 and (disc.measured.width_mm > NEARLY * short or short < LEAST_SQUARE_MM)


def _uppermost(found: Sequence[MeasuredPiece]) -> list[MeasuredPiece]:
    """Without what is printed on a piece. found: the largest first."""
    kept: list[MeasuredPiece] = []
    for one in found:
        if all(_apart(one, other) > other.measured.width_mm / 2 for other in kept):
            kept.append(one)
    return kept


def _long(one: MeasuredPiece) -> float:
    return one.measured.height_mm


def _apart(one: MeasuredPiece, other: MeasuredPiece) -> float:
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm))


class Blot(msgspec.Struct, frozen=True):
    """Something that stands out from the ground, in pixels of the sheet: the rectangle around it, and its area."""

    x: float
    y: float
    angle: float
    short: float
    long: float
    area: float
    cornered: bool
    edge: bool


class Cylinder(msgspec.Struct, frozen=True):
    """A thick disc on the mat, in millimetres: the middle of its foot, its radius and its height."""

    x: float
    y: float
    radius: float
    height: float


class OutlineFit(msgspec.Struct, frozen=True):
    """off: root of the mean square, in millimetres, by which its outline misses the edges. sure: its height is seen."""

    stone: Cylinder
    off: float
    sure: bool


class _Table:
    """One mat under one projection, seen flat."""

    def __init__(self, projection: Projection, mat: Mat, thickness_mm: float) -> None:
        self._projection, self._mat, self._thickness = projection, mat, thickness_mm
        self._size = (mat.size_mm[0] + 2 * MARGIN_MM, mat.size_mm[1] + 2 * MARGIN_MM)
        self.sheet = self._flat(min(2 * FINEST, density(projection, mat)))

    def _flat(self, scale: float) -> RectifiedSheet:
        shrink = shrink_for(self._projection, self._mat, scale)
        return RectifiedSheet(self._projection, (-MARGIN_MM, -MARGIN_MM), self._size, 0.0, scale, shrink=shrink)

    def discs(self, picture: Pyramid, blots: Sequence[Blot]) -> list[Disc]:
        """Every disc, in pixels of the sheet; of circles around one centre the outermost that is seen well.

        blots: what stands out from the ground. Only where that is no disc all sizes are tried everywhere.
        """
        every = [disc for blot in blots for disc in self._in_blot(picture, blot)]
        if not every or not all(blot.cornered or any(_holds(blot, disc) for disc in every) for blot in blots):
            every += [disc for radius_mm in radii() for disc in self._of_size(picture, radius_mm)]
        pieces: list[list[Disc]] = []
        for disc in sorted(every, key=lambda one: -one.radius):
            mine = next((group for group in pieces if _one_piece(group[0], disc)), None)
            if mine is None:
                pieces.append([disc])
            else:
                mine.append(disc)
        return [_outermost(group) for group in pieces]

    def _in_blot(self, picture: Pyramid, blot: Blot) -> list[Disc]:
        """Discs about as large as what stands out, or smaller by its shadow."""
        if blot.cornered or blot.short > LARGEST_MM * self.sheet.scale:
            return []
        return self._fit_discs(
            picture, np.array([[blot.x, blot.y]] * len(SHADOWS)), [blot.short / 2 * s for s in SHADOWS]
        )

    def _of_size(self, picture: Pyramid, radius_mm: float) -> list[Disc]:
        search = self._flat(min(self.sheet.scale, SEARCH_RADIUS / radius_mm))
        where = usable(self._mat, search).astype(np.float32)
        likely = discs.likely_centres(search.rectify(picture.gray(search.shrink)), radius_mm * search.scale, where)
        places = self.sheet.to_px(search.to_mm(np.array(likely[:PLACES]).reshape(-1, 2)))
        sizes = [radius_mm * self.sheet.scale * share for share in FINELY]
        return self._fit_discs(picture, np.repeat(places, len(sizes), axis=0), sizes * len(places))

    def _fit_discs(self, picture: Pyramid, places: Doubles, sizes: Sequence[float]) -> list[Disc]:
        """The discs about places of the sheet that are seen well. sizes: about the radius of each, in pixels."""
        found = []
        for place, radius in zip(places, sizes, strict=True):
            reach = int(radius * STEP + discs.slack(radius) + 5 * self.sheet.scale)
            ((window, low),) = self.sheet.windows(picture.gray(), place[None], reach)
            x, y = place - low
            disc = _settle_circle(discs.edges_of(window), float(x), float(y), radius, self._drop(place))
            if disc is not None and disc.support >= RIM and not discs.hollow(window, disc):
                found.append(Disc(disc.x + low[0], disc.y + low[1], disc.radius, disc.support))
        return found

    def _drop(self, place: Doubles) -> tuple[float, float]:
        """Return by how many pixels the foot of a piece of the usual thickness is seen beside its upper face."""
        above = self.sheet.to_px(self._lower_points(self.sheet.to_mm(place[None]), self._thickness))[0]
        x, y = (place - above).tolist()
        return x, y

    def lain(self, disc: Disc, picture: Pyramid) -> MeasuredPiece:
        """A disc in millimetres: its upper face lies over the mat, so that it is smaller than it looks."""
        x, y = self.sheet.to_mm(np.array([[disc.x, disc.y]]))[0].tolist()
        stone = Cylinder(x, y, disc.radius / self.sheet.scale, self._thickness)
        rays = np.linspace(0, 2 * np.pi, RAYS, endpoint=False)
        way = np.column_stack([np.cos(rays), np.sin(rays)])
        reach = int(disc.radius * 1.1 + 12 * self.sheet.scale)
        ((window, low),) = self.sheet.windows(picture.image, np.array([[disc.x, disc.y]]), reach)
        outer, steep = _edges_along(window, (disc.x - low[0], disc.y - low[1]), way, disc.radius)
        fits = [self._cylinder(stone, way, np.hypot(*way.T) * far / self.sheet.scale) for far in (outer, steep)]
        best = min(fits, key=lambda fit: fit.off)
        across = round(2 * best.stone.radius, 2)
        told = best.sure and best.off < CLOSE_MM and best.stone.height >= FLAT_MM
        tall = round(best.stone.height, 1) if told else None
        return MeasuredPiece(
            best.stone.x, best.stone.y, 0.0, disc.support, Measured(Outline.DISC, across, across, tall)
        )

    def _cylinder(self, start: Cylinder, way: Doubles, far_mm: Doubles) -> OutlineFit:
        """The cylinder whose silhouette on the mat's plane is at those distances from where it was first seen.

        Least squares by Gauss and Newton; of the rays those that fit worst are left out. How tall it is is held to what
        it started with as far as nothing is seen of it, straight below the camera.
        """
        origin = np.array([start.x, start.y])
        values = np.array([start.x, start.y, start.radius, start.height])
        used = np.ones(len(way), np.bool_)
        normal = np.eye(4)
        for _ in range(ROUNDS):
            now = self._silhouette(values, origin, way)
            rest = far_mm - now
            columns = [(self._silhouette(values + step, origin, way) - now) / NUDGE_MM for step in np.eye(4) * NUDGE_MM]
            slopes = np.column_stack(columns)
            limit = max(2.5 * float(np.median(np.abs(rest))), 0.05)
            used = np.abs(rest) <= limit
            prior = np.diag([0.0, 0.0, 0.0, (EDGE_MM / TALL_MM) ** 2])
            normal = slopes[used].T @ slopes[used] + prior + 1e-9 * np.eye(4)
            pull = slopes[used].T @ rest[used] + prior @ (np.array([0, 0, 0, start.height]) - values)
            values = values + np.linalg.solve(normal, pull)
            values[3] = float(np.clip(values[3], 0.0, TALLEST_MM))
        off = float(np.sqrt(np.mean(np.minimum(np.abs(far_mm - self._silhouette(values, origin, way)), 1.0) ** 2)))
        spread = EDGE_MM * float(np.sqrt(np.linalg.inv(normal)[3, 3]))
        return OutlineFit(Cylinder(*values.tolist()), off, sure=spread < SURE_MM)

    def _silhouette(self, values: Doubles, origin: Doubles, way: Doubles) -> Doubles:
        """Return how far the outline of a cylinder is from a point of the mat's plane, along each ray."""
        x, y, radius, height = values.tolist()
        foot = _along(np.array([x, y]) - origin, radius, way)
        turn = np.linspace(0, 2 * np.pi, 8, endpoint=False)
        rim = np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)])
        top = self._lower_points(rim, height)
        middle = top.mean(axis=0)
        return np.maximum(foot, _along(middle - origin, float(np.hypot(*(top - middle).T).mean()), way))

    def _lower_points(self, points_mm: Doubles, height_mm: float) -> Doubles:
        """Return where points over the mat are seen on its plane."""
        up, ground = self._projection.plane(height_mm), self._projection.at_height(0.0)
        return apply(np.asarray(np.linalg.inv(ground) @ up, np.float64), points_mm)

    def _raise_points(self, points_mm: Doubles, height_mm: float) -> Doubles:
        """Return where points that are seen on the mat's plane are if they are above it."""
        up, ground = self._projection.plane(height_mm), self._projection.at_height(0.0)
        return apply(np.asarray(np.linalg.inv(up) @ ground, np.float64), points_mm)

    def blots(self, picture: Pyramid) -> tuple[Image, list[Blot]]:
        """The mat seen flat, and everything on it that stands out from the ground."""
        scale = self.sheet.scale
        flat = self.sheet.rectify(picture.colour(self.sheet.shrink))
        solid = stands_out(flat, usable(self._mat, self.sheet))
        within = np.asarray(cv2.erode(_mat_mask(self._mat, self.sheet), np.ones((5, 5), np.uint8)), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
        found = []
        for label in range(1, count):
            area = float(stats[label, cv2.CC_STAT_AREA])
            if area < LEAST_AREA_MM2 * scale**2:
                continue
            part = np.asarray(labels == label, np.uint8)
            (x, y), (wide, tall), angle = cv2.minAreaRect(cv2.findNonZero(part))
            if min(wide, tall) < SMALLEST_MM * scale / 2:
                continue  # a printed line
            contours, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            hull = cv2.contourArea(cv2.convexHull(max(contours, key=cv2.contourArea)))
            cornered = area >= CORNERED * wide * tall and area >= PLAIN * hull
            if wide > tall:
                wide, tall, angle = tall, wide, angle + 90.0
            edge = bool((part > within).any())
            found.append(Blot(x, y, angle, wide, tall, area, cornered=cornered, edge=edge))
        return flat, found

    def shape_of(self, flat: Image, blot: Blot) -> MeasuredPiece:
        """Return what stands out, in millimetres: a rectangle, or something without a shape of its own."""
        wide, tall = blot.short, blot.long
        if blot.cornered:
            wide, tall = _sides(flat, (blot.x, blot.y), (wide, tall), blot.angle)
            (wide, tall), turned = ((wide, tall), 0.0) if wide <= tall else ((tall, wide), 90.0)
        middle = np.array([[blot.x, blot.y]])
        grow = self._grow(middle) / self.sheet.scale
        outline = Outline.OTHER if not blot.cornered else Outline.SQUARE if tall < SQUARE * wide else Outline.CARD
        x, y = self._raise_points(self.sheet.to_mm(middle), self._thickness)[0].tolist()
        angle = (blot.angle + (turned if blot.cornered else 0.0) + 90.0) % 180.0 - 90.0
        support = blot.area / (blot.short * blot.long)
        return MeasuredPiece(
            x, y, angle, support, Measured(outline, round(wide * grow, 2), round(tall * grow, 2)), blot.edge
        )

    def _grow(self, place: Doubles) -> float:
        """Return by how much what is above the mat is smaller than it looks there."""
        mm = self.sheet.to_mm(place)
        square = mm + np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        raised = self._raise_points(square, self._thickness)
        return float(np.sqrt(cv2.contourArea(raised.astype(np.float32)) / 4.0))


def radii() -> list[float]:
    """The radii that are tried, in millimetres."""
    steps = int(np.ceil(np.log(LARGEST_MM / SMALLEST_MM) / np.log(STEP)))
    return [SMALLEST_MM / 2 * STEP**step for step in range(steps + 1)]


def _settle_circle(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float]) -> Disc | None:
    """The circle near a place, whatever its radius is: a fit is drawn to the radius that it is given, so it is repeated
    with what it found."""
    disc = discs.best_fit(edges, x, y, radius, drop)
    for _ in range(MOST_FITS):
        if disc is None:
            return None
        again = discs.best_fit(edges, disc.x, disc.y, disc.radius, drop)
        if again is not None and abs(again.radius - disc.radius) < SETTLED_PX:
            return again
        disc = again
    return disc


def _one_piece(outer: Disc, inner: Disc) -> bool:
    return bool(np.hypot(outer.x - inner.x, outer.y - inner.y) < WITHIN * outer.radius)


def _outermost(circles: Sequence[Disc]) -> Disc:
    """circles: of one piece, the largest first."""
    best = max(disc.support for disc in circles)
    return next(disc for disc in circles if disc.support >= best - AS_GOOD)


def _holds(blot: Blot, disc: Disc) -> bool:
    """True if a disc is most of what stands out there: the rest is its shadow and its side."""
    near = np.hypot(blot.x - disc.x, blot.y - disc.y) < disc.radius
    return bool(near and np.pi * disc.radius**2 > MOSTLY * blot.area)


def _along(middle: Doubles, radius: float, way: Doubles) -> Doubles:
    """Return how far a circle is from the origin, which is within it, along each ray."""
    ahead = way @ middle
    return np.asarray(ahead + np.sqrt(np.maximum(ahead**2 - middle @ middle + radius**2, 0.0)), np.float64)


def _edges_along(window: Image, middle: tuple[float, float], way: Doubles, radius: float) -> tuple[Doubles, Doubles]:
    """Along each ray, in pixels from the middle: the outermost clear edge about so far out, and the steepest."""
    low, high = 0.82 * radius, min(1.25 * radius + 8, window.shape[0] / 2 - 2)
    steps = np.arange(low, high, 0.5)
    spots = np.array(middle) + steps[None, :, None] * way[:, None, :]
    soft = cv2.GaussianBlur(window.astype(np.float32), (0, 0), 0.8)
    values = cv2.remap(soft, spots[..., 0].astype(np.float32), spots[..., 1].astype(np.float32), cv2.INTER_LINEAR)
    values = cv2.blur(np.ascontiguousarray(values), (1, 3), borderType=cv2.BORDER_REPLICATE)
    slope = np.abs(values[:, 2:] - values[:, :-2]).sum(axis=2)
    steep = slope.argmax(axis=1)
    clear = slope >= CLEARLY * slope.max(axis=1, keepdims=True)
    peak = np.zeros_like(clear)
    peak[:, 1:-1] = (slope[:, 1:-1] >= slope[:, :-2]) & (slope[:, 1:-1] >= slope[:, 2:]) & clear[:, 1:-1]
    outer = np.where(peak.any(axis=1), peak.shape[1] - 1 - peak[:, ::-1].argmax(axis=1), steep)
    return steps[outer + 1], steps[steep + 1]


def _sides(
    flat: Image, middle: tuple[float, float], size: tuple[float, float], angle_deg: float
) -> tuple[float, float]:
    """Width and height in pixels of a rectangle whose sides are the steepest edges near those of a mask."""
    gray = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32)
    turn = np.radians(angle_deg)
    right, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    steps = np.arange(-4.0, 4.01, 0.5)
    sides = []
    for across, along, half, other in (
        (right, down, size[0] / 2, size[1] / 2),
        (down, right, size[1] / 2, size[0] / 2),
    ):
        total = 0.0
        for way in (-1.0, 1.0):
            share = np.linspace(-0.8, 0.8, 24)[:, None, None]
            out = (half + steps)[None, :, None] * way
            spots = np.array(middle) + share * other * along + out * across
            values = cv2.remap(
                gray, spots[..., 0].astype(np.float32), spots[..., 1].astype(np.float32), cv2.INTER_LINEAR
            )
            slope = np.abs(values[:, 2:] - values[:, :-2])
            total += half + float(np.median(steps[1:-1][slope.argmax(axis=1)]))
        sides.append(total)
    return sides[0], sides[1]


def _mat_mask(mat: Mat, sheet: RectifiedSheet) -> Image:
    mask = np.zeros(sheet.shape, np.uint8)
    (left, top), (right, bottom) = np.rint(sheet.to_px(np.array([[0.0, 0.0], list(mat.size_mm)]))).astype(int).tolist()
    cv2.rectangle(mask, (left, top), (right, bottom), 1, -1)
    return mask
