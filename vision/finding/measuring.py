"""Measures pieces of unknown size: outline, diameter or sides, thickness.

Discs are fitted to foreground or sought in all sizes; of concentric ones the outermost good one is kept. Rectangles
are foreground that fills its corners.
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
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import Measured, Outline
from vision.registration.rectify import Projection, RectifiedSheet, apply

SMALLEST_MM, LARGEST_MM = 13.0, 110.0
"""Range of diameters and sides, wide enough to report oversize."""

STEP = 1.12
"""Ratio of successive search radii."""

FINELY = (0.96, 1.0, 1.04)
"""Radii of fits per search radius; a fit reaches about 3 %."""

PLACES = 6
"""Places examined per radius."""

RIM = 0.72
"""Visible share of a rim required; shadows show half."""

AS_GOOD = 0.14
"""Support that an outermost circle may lack against the best."""

WITHIN = 0.35
"""Centre distance of one piece's circles, in the larger radius."""

SETTLED_PX, MOST_FITS = 0.05, 6
"""Change of radius that ends fits, and most fits."""

CORNERED = 0.88
"""Share of its bounding rectangle that a rectangle fills; a disc fills 0.785."""

PLAIN = 0.93
"""The same of its hull; hands and touching pieces fill less."""

LEAST_AREA_MM2 = 60.0

NEARLY, LEAST_SQUARE_MM = 0.97, 20.0
"""Relative width from which a disc replaces a rectangle, any disc below the second size."""

SQUARE = 1.08
"""Largest ratio of a square's sides."""

SHADOWS = (1.0, 0.92, 0.85)
"""Sizes of a disc relative to foreground with shadow and side."""

MOSTLY = 0.62
"""Least share of the foreground covered by a disc."""

RAYS = 96
CLEARLY = 0.45
"""Least steepness of the outermost edge relative to the ray's steepest."""

ROUNDS = 8
NUDGE_MM = 0.05
EDGE_MM, TALL_MM = 0.15, 4.0
"""Standard deviations of an edge and of the assumed thickness."""

TALLEST_MM = 30.0
SURE_MM = 1.2
"""Largest standard error of a measured thickness."""

FLAT_MM = 2.5
"""Thinner results are unreliable: only one rim may be visible."""

CLOSE_MM = 0.4
"""Largest residual of a cylinder's outline."""

Doubles = npt.NDArray[np.float64]


class MeasuredPiece(msgspec.Struct, frozen=True):
    """A measured object.

    angle_deg: 0 for a disc.
    support: visible share of its outline.
    edge: it reaches over the mat's edge.
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
    """Return pieces and other foreground, largest first; what reaches over the mat's edge may hold a piece.

    pieces: its shape selects rectangles (cards) or discs and squares; its thickness is assumed.
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
    rest = [
        one
        for one in shapes
        if one.edge or not any(_apart(one, piece) < max(_long(one), _long(piece)) / 2 for piece in found)
    ]
    return found, sorted(rest, key=_long, reverse=True)


def _is_round(rectangle: MeasuredPiece, disc: MeasuredPiece) -> bool:
    short = rectangle.measured.width_mm
    return _apart(rectangle, disc) < short / 2 and (disc.measured.width_mm > NEARLY * short or short < LEAST_SQUARE_MM)


def _uppermost(found: Sequence[MeasuredPiece]) -> list[MeasuredPiece]:
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
    """Foreground in sheet pixels: bounding rectangle and area."""

    x: float
    y: float
    angle: float
    short: float
    long: float
    area: float
    cornered: bool
    edge: bool


class Cylinder(msgspec.Struct, frozen=True):
    """A thick disc in millimetres, by the centre of its base."""

    x: float
    y: float
    radius: float
    height: float


class OutlineFit(msgspec.Struct, frozen=True):
    """A fitted cylinder. off: root mean square residual in millimetres; sure: the height is visible."""

    stone: Cylinder
    off: float
    sure: bool


class _Table:
    """A rectified mat under one projection."""

    def __init__(self, projection: Projection, mat: Mat, thickness_mm: float) -> None:
        self._projection, self._mat, self._thickness = projection, mat, thickness_mm
        self._size = (mat.size_mm[0] + 2 * MARGIN_MM, mat.size_mm[1] + 2 * MARGIN_MM)
        self.sheet = self._flat(min(2 * FINEST, density(projection, mat)))

    def _flat(self, scale: float) -> RectifiedSheet:
        shrink = shrink_for(self._projection, self._mat, scale)
        return RectifiedSheet(self._projection, (-MARGIN_MM, -MARGIN_MM), self._size, 0.0, scale, shrink=shrink)

    def discs(self, picture: Pyramid, blots: Sequence[Blot]) -> list[Disc]:
        """Return each piece's outermost clear disc in sheet pixels, trying all sizes unless every blot is explained."""
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
        """Return the pixel offset of the base from the upper face."""
        above = self.sheet.to_px(self._lower_points(self.sheet.to_mm(place[None]), self._thickness))[0]
        x, y = (place - above).tolist()
        return x, y

    def lain(self, disc: Disc, picture: Pyramid) -> MeasuredPiece:
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
        """Fit a cylinder to its silhouette by Gauss-Newton without outliers."""
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
        """Return the distance of a cylinder's outline from `origin` along each ray."""
        x, y, radius, height = values.tolist()
        foot = _along(np.array([x, y]) - origin, radius, way)
        turn = np.linspace(0, 2 * np.pi, 8, endpoint=False)
        rim = np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)])
        top = self._lower_points(rim, height)
        middle = top.mean(axis=0)
        return np.maximum(foot, _along(middle - origin, float(np.hypot(*(top - middle).T).mean()), way))

    def _lower_points(self, points_mm: Doubles, height_mm: float) -> Doubles:
        up, ground = self._projection.plane(height_mm), self._projection.at_height(0.0)
        return apply(np.asarray(np.linalg.inv(ground) @ up, np.float64), points_mm)

    def _raise_points(self, points_mm: Doubles, height_mm: float) -> Doubles:
        up, ground = self._projection.plane(height_mm), self._projection.at_height(0.0)
        return apply(np.asarray(np.linalg.inv(up) @ ground, np.float64), points_mm)

    def blots(self, picture: Pyramid) -> tuple[Image, list[Blot]]:
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
        """Return an object's true size relative to its apparent one."""
        mm = self.sheet.to_mm(place)
        square = mm + np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        raised = self._raise_points(square, self._thickness)
        return float(np.sqrt(cv2.contourArea(raised.astype(np.float32)) / 4.0))


def radii() -> list[float]:
    """Return the search radii in millimetres."""
    steps = int(np.ceil(np.log(LARGEST_MM / SMALLEST_MM) / np.log(STEP)))
    return [SMALLEST_MM / 2 * STEP**step for step in range(steps + 1)]


def _settle_circle(edges: Edges, x: float, y: float, radius: float, drop: tuple[float, float]) -> Disc | None:
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
    best = max(disc.support for disc in circles)
    return next(disc for disc in circles if disc.support >= best - AS_GOOD)


def _holds(blot: Blot, disc: Disc) -> bool:
    near = np.hypot(blot.x - disc.x, blot.y - disc.y) < disc.radius
    return bool(near and np.pi * disc.radius**2 > MOSTLY * blot.area)


def _along(middle: Doubles, radius: float, way: Doubles) -> Doubles:
    """Return a circle's distance from the origin inside it, along each ray."""
    ahead = way @ middle
    return np.asarray(ahead + np.sqrt(np.maximum(ahead**2 - middle @ middle + radius**2, 0.0)), np.float64)


def _edges_along(window: Image, middle: tuple[float, float], way: Doubles, radius: float) -> tuple[Doubles, Doubles]:
    """Return the outermost clear and the steepest edge along each ray, in pixels."""
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
