"""Laying a table: the physical pieces that a game needs, put where its layout wants them."""

from __future__ import annotations

import random

import msgspec

from device.resources import resource
from device.sim.places import Care, Pose, cell_place, free_place, jittered, row_places, splay_place
from device.sim.truth import Body, Shape, Truth
from engine.table import Face, Layout, Order, Piece
from vision.mat import Mat, MatZone
from vision.naming import PieceSet


def piece_set(name: str) -> PieceSet:
    """A piece set of config/sets."""
    return msgspec.toml.decode(resource("sets", f"{name}.toml").read_bytes(), type=PieceSet)


def made(kinds: tuple[str, ...], pieces: PieceSet, first_id: int) -> tuple[Body, ...]:
    """Physical pieces of those kinds, not yet on the table."""
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


def set_out(layout: Layout, mat: Mat, rng: random.Random, care: Care) -> Truth:
    """A table that agrees with a layout in which every piece is face up, as at the start of a match.

    One whole piece set lies in each pair of zones that share it; pieces that the layout does not show are away.
    Raises ValueError if a piece is hidden: then nobody knows which it is.
    """
    truth = Truth()
    zones = {zone.name: zone for zone in mat.zones}
    for shown in layout.zones:
        zone = zones[shown.zone]
        pieces = piece_set(zone.set)
        first = len(truth.bodies) + len(truth.away)
        bodies = made(_kinds(shown.zone, shown.pieces), pieces, first)
        truth = Truth(truth.bodies + _laid(zone, shown.order, shown.pieces, bodies, truth, rng, care), truth.away)
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


def _laid(
    zone: MatZone,
    order: Order,
    pieces: tuple[Piece | None, ...],
    bodies: tuple[Body, ...],
    truth: Truth,
    rng: random.Random,
    care: Care,
) -> tuple[Body, ...]:
    laid: list[Body] = []
    cells = [index for index, piece in enumerate(pieces) if piece is not None]
    places = row_places(zone, (None,) * len(bodies), bodies[0].width) if bodies and order is Order.ROW else ()
    for number, body in enumerate(bodies):
        pose: Pose
        match order:
            case Order.ROW:
                pose = jittered(rng, places[number], care)
            case Order.AREA:
                pose = free_place(rng, zone, (*truth.bodies, *laid), body)
            case Order.CELLS:
                pose = jittered(rng, cell_place(zone.cells[cells[number]]), care)
            case Order.SPLAY:
                pose = jittered(rng, splay_place(zone, number), care)
            case Order.PILE:
                pose = jittered(rng, cell_place(zone.box), care)
        angle = rng.uniform(-care.jitter_deg, care.jitter_deg)
        laid.append(msgspec.structs.replace(body, x=pose[0], y=pose[1], angle=angle))
    return tuple(laid)
