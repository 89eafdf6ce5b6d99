"""Lays a table with the physical pieces of a layout."""

from __future__ import annotations

import random
from itertools import chain

import msgspec

from device.resources import load_shipped
from engine.table import Arrangement, Face, Layout, Piece
from referee_simulator.table.ground_truth import Body, Shape, Truth
from referee_simulator.table.holding import PILED, Holding
from referee_simulator.table.places import (
    Maintenance,
    Pose,
    cell_place,
    free_place,
    jitter_pose,
    row_places,
    splay_place,
    within,
)
from vision.mat import Mat, MatZone
from vision.recognition.naming import PieceSet


def piece_set(name: str) -> PieceSet:
    """Load a piece set of config/sets."""
    return load_shipped(PieceSet, "sets", f"{name}.toml")


def make_bodies(kinds: tuple[str, ...], pieces: PieceSet, first_id: int) -> tuple[Body, ...]:
    """Make physical pieces, not yet on the table."""
    shape = Shape.DISC if pieces.shape == "disc" else Shape.CARD
    width, height = pieces.size_mm
    return tuple(
        Body(
            first_id + number,
            kind,
            pieces.name,
            0.0,
            0.0,
            shape=shape,
            width=width,
            height=height,
            thickness=pieces.thickness_mm,
        )
        for number, kind in enumerate(kinds)
    )


def card_set(mat: Mat, holding: Holding) -> PieceSet:
    """Return the set that has all cards of a dealer."""
    cards = {*holding.away, *chain.from_iterable(holding.stacks.values())}
    sets = (piece_set(name) for name in sorted({zone.set for zone in mat.zones}))
    return next(each for each in sets if not cards.isdisjoint(each.kinds))


def set_out(
    layout: Layout, mat: Mat, rng: random.Random, maintenance: Maintenance, holding: Holding | None = None
) -> Truth:
    """Return a table that matches a layout. holding: cards in piles and hands. Raises ValueError if a piece outside its
    piles is hidden."""
    stacks = holding.stacks if holding is not None else {}
    truth = Truth()
    zones = {zone.name: zone for zone in mat.zones}
    for shown in layout.zones:
        zone = zones[shown.zone]
        pieces = piece_set(zone.set)
        first = len(truth.bodies) + len(truth.away)
        if shown.zone in stacks:
            bodies = make_bodies(stacks[shown.zone], pieces, first)
            face = shown.pieces[0].face if shown.pieces and shown.pieces[0] is not None else Face.UP
            bodies = tuple(msgspec.structs.replace(body, face=face) for body in bodies)
        else:
            bodies = make_bodies(_kinds(shown.zone, shown.pieces), pieces, first)
        poses = _poses(zone, shown.pieces, bodies, rng, maintenance)
        laid = (msgspec.structs.replace(b, x=x, y=y, angle=a) for b, (x, y, a) in zip(bodies, poses, strict=True))
        truth = Truth((*truth.bodies, *laid), truth.away)
    if holding is not None:
        pieces = card_set(mat, holding)
        truth = Truth(truth.bodies, make_bodies(holding.away, pieces, len(truth.bodies)))
    return truth


def _kinds(zone: str, pieces: tuple[Piece | None, ...]) -> tuple[str, ...]:
    kinds = []
    for piece in pieces:
        if piece is None:
            continue
        if piece.kind is None or piece.face is not Face.UP:
            raise ValueError(f"zone {zone} holds a hidden piece: only an open table can be set out")
        kinds.append(piece.kind)
    return tuple(kinds)


def _poses(
    zone: MatZone,
    pieces: tuple[Piece | None, ...],
    bodies: tuple[Body, ...],
    rng: random.Random,
    maintenance: Maintenance,
) -> tuple[Pose, ...]:
    if not bodies:
        return ()
    if zone.order is Arrangement.AREA:
        return _strewn(zone, bodies, rng)
    match zone.order:
        case Arrangement.ROW:
            marks = row_places(zone, (None,) * len(bodies), bodies[0].width)
        case Arrangement.CELLS:
            cells = [zone.cells[i] for i, piece in enumerate(pieces) if piece is not None]
            return tuple(
                within(c, jitter_pose(rng, cell_place(c, bodies[0]), maintenance.of(bodies[0]))) for c in cells
            )
        case Arrangement.SPLAY:
            marks = tuple(splay_place(zone, number) for number in range(len(bodies)))
        case _:
            marks = (cell_place(zone.box, bodies[0]),) * len(bodies)
            maintenance = PILED
    return tuple(jitter_pose(rng, mark, maintenance.of(bodies[0])) for mark in marks)


def _strewn(zone: MatZone, bodies: tuple[Body, ...], rng: random.Random) -> tuple[Pose, ...]:
    laid: list[Body] = []
    for body in bodies:
        x, y, angle = free_place(rng, zone, laid, body)
        laid.append(msgspec.structs.replace(body, x=x, y=y, angle=angle))
    return tuple((body.x, body.y, body.angle) for body in laid)
