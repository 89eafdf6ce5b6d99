"""The true state of every physical piece on the virtual table, apart from what the engine believes (law 7).

Frozen state and pure operations. Lengths are millimetres on the mat (origin top left, y down), angles are degrees
clockwise.
"""

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
    """One physical piece: what it truly is, and where and how it lies.

    width, height: of the face as it lies at angle 0; a disc has its diameter twice. face: which face looks up.
    lift_mm: how far its underside is above the mat. tilt_deg: how far a hand has tipped it (0 flat, 180 turned over),
    about the axis that lies at `axis_deg` on the mat. rides: the body it lies on, if any.
    """

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
        """True while a hand has it off the mat."""
        return self.lift_mm > 0 or self.tilt_deg != 0


class Truth(msgspec.Struct, frozen=True):
    """Every piece on the table, the lowest first, and those away from it: in the box, or in somebody's hand."""

    bodies: tuple[Body, ...] = ()
    away: tuple[Body, ...] = ()

    def body(self, ident: int) -> Body:
        """The piece of that number. Raises KeyError if there is none."""
        for body in self.bodies:
            if body.id == ident:
                return body
        raise KeyError(ident)


def put(truth: Truth, body: Body, under: int | None = None) -> Truth:
    """The table with `body` in the place of the piece of its number, or added.

    What is touched lies uppermost, or just below the piece `under` which it is tucked.
    """
    rest = _without(truth.bodies, body.id)
    place = next((number for number, other in enumerate(rest) if other.id == under), len(rest))
    return Truth((*rest[:place], body, *rest[place:]), _without(truth.away, body.id))


def slid(truth: Truth, body: Body) -> Truth:
    """The table with `body` for the piece of its number; it was pushed, so what lay on it still does."""
    return Truth(tuple(body if other.id == body.id else other for other in truth.bodies), truth.away)


def move(truth: Truth, ident: int, x: float, y: float, angle: float | None = None) -> Truth:
    """The piece lies elsewhere, flat, as it was turned."""
    body = truth.body(ident)
    angle = body.angle if angle is None else angle
    return put(truth, msgspec.structs.replace(body, x=x, y=y, angle=angle, lift_mm=0.0, tilt_deg=0.0))


def turn(truth: Truth, ident: int) -> Truth:
    """The piece shows its other face, where it lies."""
    return put(truth, turned(truth.body(ident)))


def lift(truth: Truth, ident: int, height_mm: float, tilt_deg: float = 0.0, axis_deg: float = 0.0) -> Truth:
    """The piece is held above its place, tipped by `tilt_deg`."""
    body = truth.body(ident)
    return put(truth, msgspec.structs.replace(body, lift_mm=height_mm, tilt_deg=tilt_deg, axis_deg=axis_deg))


def remove(truth: Truth, ident: int) -> Truth:
    """The piece is taken from the table; it can be put back."""
    gone = msgspec.structs.replace(truth.body(ident), lift_mm=0.0, tilt_deg=0.0)
    return Truth(_without(truth.bodies, ident), (*_without(truth.away, ident), gone))


def turned(body: Body) -> Body:
    """The piece turned over about its axis, lying flat."""
    angle = (2 * body.axis_deg - body.angle + 180.0) % 360.0
    return msgspec.structs.replace(body, face=opposite(body.face), angle=angle, lift_mm=0.0, tilt_deg=0.0)


def _without(bodies: tuple[Body, ...], ident: int) -> tuple[Body, ...]:
    return tuple(b for b in bodies if b.id != ident)


def opposite(face: Face) -> Face:
    return Face.DOWN if face is Face.UP else Face.UP


def inside(box: Box, x: float, y: float, margin: float = 0.0) -> bool:
    """True if the point lies in the box, or at most `margin` outside it."""
    return box.x - margin <= x <= box.x + box.width + margin and box.y - margin <= y <= box.y + box.height + margin


def lying(truth: Truth, zone: MatZone) -> tuple[Body, ...]:
    """Every piece of its set that lies in a zone, the lowest first. What is held lies nowhere."""
    return tuple(b for b in truth.bodies if not b.held and b.set == zone.set and inside(zone.box, b.x, b.y))


def members(truth: Truth, zone: MatZone) -> tuple[Body | None, ...]:
    """The pieces of its set that lie in a zone, numbered as its order says; None is an empty cell.

    What is held lies nowhere.
    """
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
    """Return how far a point is along the direction of a row, in millimetres."""
    turned = math.radians(zone.direction)
    return x * math.cos(turned) + y * math.sin(turned)


def _in_cell(here: tuple[Body, ...], cell: Box) -> Body | None:
    """The uppermost piece whose centre lies in the cell (`Box` of a cell: its top-left corner and size)."""
    found = [b for b in here if inside(cell, b.x, b.y)]
    return found[-1] if found else None


def under(body: Body, lying: Iterable[Body]) -> float:
    """Return how high above the mat a piece is: the millimetres of all that is under its middle."""
    return sum(other.thickness for other in lying if other.id != body.id and _covers(other, body.x, body.y))


def stacked(lying: Sequence[Body]) -> tuple[Body, ...]:
    """Pieces, the lowest first, each as a block from the mat up to its upper face: a pile is as high as its cards."""
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


def seen(body: Body) -> Piece:
    """The piece as an onlooker sees it: a face-down piece shows no kind."""
    return Piece(body.kind if body.face is Face.UP else None, body.face)


def layout(truth: Truth, mat: Mat, names: Iterable[str]) -> Layout:
    """Return what the table shows an onlooker, zone by zone in the order of `names`."""
    zones = {zone.name: zone for zone in mat.zones}
    shown = []
    for name in names:
        zone = zones[name]
        pieces = tuple(None if b is None else seen(b) for b in members(truth, zone))
        shown.append(ZoneLayout(name, zone.order, pieces))
    return Layout(tuple(shown))


def strays(truth: Truth, mat: Mat, names: Iterable[str]) -> tuple[Body, ...]:
    """Pieces that lie in no zone of theirs."""
    zones = [zone for zone in mat.zones if zone.name in frozenset(names)]

    def at_home(body: Body) -> bool:
        return any(zone.set == body.set and inside(zone.box, body.x, body.y) for zone in zones)

    return tuple(b for b in truth.bodies if not b.held and not at_home(b))
