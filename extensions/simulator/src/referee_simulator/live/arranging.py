"""Makes the virtual table look as a match believes, with the pieces at hand. Hidden pieces may swap names unseen."""

from __future__ import annotations

import random
from collections.abc import Iterable

import msgspec

from engine.table import Arrangement, Face, Layout, Piece, Trace, ZoneLayout
from referee_simulator.table.ground_truth import Body, Truth, looks, lying, members, put, remove
from referee_simulator.table.places import Maintenance, zones
from referee_simulator.table.setting import make_bodies, piece_set, set_out
from vision.mat import Mat, MatZone


def arrange_zones(truth: Truth, mat: Mat, shown: Layout, maintenance: Maintenance) -> Truth:
    """Return the table with wrong zones laid as shown, also from strays."""
    wrong = [zone for zone in shown.zones if not looks(truth, mat, Layout((zone,)))]
    hidden = {zone.zone: _hidden_kinds(truth, zones(mat)[zone.zone]) for zone in wrong}
    for body in _strays(truth, mat, {zones(mat)[zone.zone].set for zone in wrong}):
        truth = remove(truth, body.id)
    for zone in wrong:
        if zone.order is not Arrangement.PILE or not zone.pieces:
            for body in lying(truth, zones(mat)[zone.zone]):
                truth = remove(truth, body.id)
    rng = random.Random(0)
    for zone in wrong:
        truth = _lay_zone(truth, mat, zone, hidden[zone.zone], rng, maintenance)
    return truth


def grant_pieces(truth: Truth, mat: Mat, trace: Trace) -> tuple[Truth, tuple[str, ...]]:
    """Return the table with all pieces at hand that an action brings, and the cards laid face down."""
    brought = []
    for target in (move.target for move in trace.moves if move.source is None and move.target is not None):
        piece, name = trace.layout.at(target), zones(mat)[target.zone].set
        if piece is not None and piece.kind is not None:
            truth, _ = _at_hand(truth, name, piece.kind)
        else:
            brought += [body.kind for body in truth.away if body.set == name][:1]
    return truth, tuple(brought)


def _strays(truth: Truth, mat: Mat, sets: set[str]) -> list[Body]:
    placed = {body.id for zone in zones(mat).values() for body in lying(truth, zone)}
    return [body for body in truth.bodies if body.set in sets and body.id not in placed]


def _hidden_kinds(truth: Truth, zone: MatZone) -> list[str]:
    return [body.kind for body in members(truth, zone) if body is not None and body.face is Face.DOWN]


def _lay_zone(
    truth: Truth, mat: Mat, zone: ZoneLayout, hidden: list[str], rng: random.Random, maintenance: Maintenance
) -> Truth:
    name = zones(mat)[zone.zone].set
    spare = iter([*hidden, *(body.kind for body in truth.away if body.set == name), *piece_set(name).kinds])
    pieces = tuple(piece and Piece(piece.kind or next(spare)) for piece in zone.pieces)
    bodies = set_out(Layout((msgspec.structs.replace(zone, pieces=pieces),)), mat, rng, maintenance).bodies
    for body, piece in zip(bodies, (piece for piece in zone.pieces if piece is not None), strict=True):
        truth, ident = _at_hand(truth, name, body.kind)
        truth = put(truth, msgspec.structs.replace(body, id=ident, face=piece.face))
    return truth


def _at_hand(truth: Truth, name: str, kind: str) -> tuple[Truth, int]:
    """Return the table with a piece of this kind away, and its id: present, swapped with a face-down one, or new."""
    away = [body for body in truth.away if body.set == name]
    found = next((body for body in away if body.kind == kind), None)
    if found is not None:
        return truth, found.id
    other = next((b for b in truth.bodies if b.set == name and b.kind == kind and b.face is Face.DOWN), None)
    if away and other is not None:
        named = {away[0].id: kind, other.id: away[0].kind}
        return Truth(_rename(truth.bodies, named), _rename(truth.away, named)), away[0].id
    number = 1 + max((body.id for body in (*truth.bodies, *truth.away)), default=-1)
    return Truth(truth.bodies, (*truth.away, *make_bodies((kind,), piece_set(name), number))), number


def _rename(bodies: Iterable[Body], named: dict[int, str]) -> tuple[Body, ...]:
    return tuple(msgspec.structs.replace(body, kind=named.get(body.id, body.kind)) for body in bodies)
