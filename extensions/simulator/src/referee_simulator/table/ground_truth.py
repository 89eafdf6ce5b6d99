"""True state of all physical pieces, apart from the engine's belief (law 7).

Frozen state, pure operations; mm on the mat (origin top left, y down), degrees clockwise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from engine.table import Arrangement, Face, Layout, Piece, ZoneLayout
from vision.mat import Box, Mat, MatZone


class Shape(StrEnum):
    DISC = "disc"
    CARD = "card"


class Body(msgspec.Struct, frozen=True):
    """A physical piece.

    width, height: of the face at angle 0; a disc's diameter twice
    lift_mm: underside above the mat
    tilt_deg, axis_deg: tilt (0 flat, 180 turned over) about an axis on the mat"""

    id: int
    kind: str
    set: str
    x: float
    y: float
    angle: float = 0.0
    face: Face = Face.UP
    shape: Shape = Shape.DISC
    width: float = 34.0
    height: float = 34.0
    thickness: float = 8.0
    lift_mm: float = 0.0
    tilt_deg: float = 0.0
    axis_deg: float = 0.0

    @property
    def held(self) -> bool:
        """True while off the mat."""
        return self.lift_mm > 0 or self.tilt_deg != 0


class Truth(msgspec.Struct, frozen=True):
    """All pieces: on the table, lowest first, and away (box or hands)."""

    bodies: tuple[Body, ...] = ()
    away: tuple[Body, ...] = ()

    def body(self, ident: int) -> Body:
        for body in self.bodies:
            if body.id == ident:
                return body
        raise KeyError(ident)


def put(truth: Truth, body: Body, under: int | None = None) -> Truth:
    rest = _without(truth.bodies, body.id)
    place = next((number for number, other in enumerate(rest) if other.id == under), len(rest))
    return Truth((*rest[:place], body, *rest[place:]), _without(truth.away, body.id))


def slid(truth: Truth, body: Body) -> Truth:
    """Replace a pushed body, keeping its height order; change nothing if it is absent."""
    return Truth(tuple(body if other.id == body.id else other for other in truth.bodies), truth.away)


def move(truth: Truth, ident: int, x: float, y: float, angle: float | None = None) -> Truth:
    """Lay a piece flat elsewhere, on top. Raises KeyError."""
    body = truth.body(ident)
    angle = body.angle if angle is None else angle
    return put(truth, msgspec.structs.replace(body, x=x, y=y, angle=angle, lift_mm=0.0, tilt_deg=0.0))


def turn(truth: Truth, ident: int) -> Truth:
    return put(truth, turn_over(truth.body(ident)))


def lift(truth: Truth, ident: int, height_mm: float, tilt_deg: float = 0.0, axis_deg: float = 0.0) -> Truth:
    """Hold a piece above its place, tilted. Raises KeyError."""
    body = truth.body(ident)
    return put(truth, msgspec.structs.replace(body, lift_mm=height_mm, tilt_deg=tilt_deg, axis_deg=axis_deg))


def remove(truth: Truth, ident: int) -> Truth:
    """Move a piece from the table to `away`. Raises KeyError."""
    gone = msgspec.structs.replace(truth.body(ident), lift_mm=0.0, tilt_deg=0.0)
    return Truth(_without(truth.bodies, ident), (*_without(truth.away, ident), gone))


def turn_over(body: Body) -> Body:
    angle = (2 * body.axis_deg - body.angle + 180.0) % 360.0
    return msgspec.structs.replace(body, face=opposite(body.face), angle=angle, lift_mm=0.0, tilt_deg=0.0)


def _without(bodies: tuple[Body, ...], ident: int) -> tuple[Body, ...]:
    return tuple(b for b in bodies if b.id != ident)


def opposite(face: Face) -> Face:
    return Face.DOWN if face is Face.UP else Face.UP


def inside(box: Box, x: float, y: float, margin: float = 0.0) -> bool:
    """Return True if a point is in the box or at most `margin` outside."""
    return box.x - margin <= x <= box.x + box.width + margin and box.y - margin <= y <= box.y + box.height + margin


def lying(truth: Truth, zone: MatZone) -> tuple[Body, ...]:
    """Return a zone's unheld pieces of its set, lowest first."""
    return tuple(b for b in truth.bodies if not b.held and b.set == zone.set and inside(zone.box, b.x, b.y))


def members(truth: Truth, zone: MatZone) -> tuple[Body | None, ...]:
    """Return a zone's pieces as arranged, only the top of a pile; None for an empty cell."""
    here = lying(truth, zone)
    match zone.order:
        case Arrangement.ROW | Arrangement.SPLAY:
            return tuple(sorted(here, key=lambda b: along(zone, b.x, b.y)))
        case Arrangement.AREA:
            return tuple(sorted(here, key=lambda b: (b.face, b.kind, b.id)))
        case Arrangement.PILE:
            return here[-1:]
        case Arrangement.CELLS:
            return tuple(_in_cell(here, cell) for cell in zone.cells)


def along(zone: MatZone, x: float, y: float) -> float:
    """Return a point's position along a row, in mm."""
    turned = math.radians(zone.direction)
    return x * math.cos(turned) + y * math.sin(turned)


def _in_cell(here: tuple[Body, ...], cell: Box) -> Body | None:
    found = [b for b in here if inside(cell, b.x, b.y)]
    return found[-1] if found else None


def under(body: Body, lying: Iterable[Body]) -> float:
    return sum(other.thickness for other in lying if other.id != body.id and _covers(other, body.x, body.y))


def stack_bodies(lying: Sequence[Body]) -> tuple[Body, ...]:
    """Extend each piece down to the mat, so that piles have their height."""
    heights = (under(body, lying[:number]) for number, body in enumerate(lying))
    return tuple(
        msgspec.structs.replace(body, thickness=body.thickness + height) if height else body
        for body, height in zip(lying, heights, strict=True)
    )


def _covers(body: Body, x: float, y: float) -> bool:
    turn = math.radians(body.angle)
    dx, dy = x - body.x, y - body.y
    if body.shape is Shape.DISC:
        return math.hypot(dx, dy) < body.width / 2
    along, across = dx * math.cos(turn) + dy * math.sin(turn), dy * math.cos(turn) - dx * math.sin(turn)
    return abs(along) < body.width / 2 and abs(across) < body.height / 2


def visible_piece(body: Body) -> Piece:
    """Return the visible piece, without kind if face down."""
    return Piece(body.kind if body.face is Face.UP else None, body.face)


def layout(truth: Truth, mat: Mat, names: Iterable[str]) -> Layout:
    """Return the visible layout of these zones."""
    zones = {zone.name: zone for zone in mat.zones}
    shown = []
    for name in names:
        zone = zones[name]
        pieces = tuple(None if b is None else visible_piece(b) for b in members(truth, zone))
        shown.append(ZoneLayout(name, zone.order, pieces))
    return Layout(tuple(shown))


def looks(truth: Truth, mat: Mat, wanted: Layout) -> bool:
    """Return True if each zone of a layout shows the same pieces, in areas in any order."""
    now = layout(truth, mat, (zone.zone for zone in wanted.zones))
    return all(_in_order(a) == _in_order(b) for a, b in zip(now.zones, wanted.zones, strict=True))


def _in_order(zone: ZoneLayout) -> tuple[Piece | None, ...]:
    return tuple(sorted(zone.pieces, key=str)) if zone.order is Arrangement.AREA else zone.pieces


def strays(truth: Truth, mat: Mat, names: Iterable[str]) -> tuple[Body, ...]:
    """Return unheld pieces outside these zones of their set."""
    zones = [zone for zone in mat.zones if zone.name in frozenset(names)]

    def at_home(body: Body) -> bool:
        return any(zone.set == body.set and inside(zone.box, body.x, body.y) for zone in zones)

    return tuple(b for b in truth.bodies if not b.held and not at_home(b))
