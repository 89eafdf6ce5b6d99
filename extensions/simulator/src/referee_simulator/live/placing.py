"""Tidy places for pieces dropped on the page."""

from __future__ import annotations

import random
from collections.abc import Container

import msgspec

from engine.table import Arrangement
from referee_simulator.table.ground_truth import Body, Shape, Truth, along, inside, members, put
from referee_simulator.table.places import STRIP_MM, Pose, cell_place, free_place, splay_place, zones
from vision.mat import Mat, MatZone


def zone_at(mat: Mat, body: Body, x: float, y: float) -> MatZone | None:
    return next((zone for zone in mat.zones if zone.set == body.set and inside(zone.box, x, y)), None)


def neat(truth: Truth, mat: Mat, body: Body, x: float, y: float, home: MatZone | None) -> Pose:
    """Return a dropped piece's pose: centred in a cell or pile, at a splay's end, beside other cards, or as dropped.
    home: its former zone."""
    zone = zone_at(mat, body, x, y)
    if zone is None:
        return x, y, body.angle
    others = [b for b in members(truth, zone) if b is not None and b.id != body.id]
    match zone.order:
        case Arrangement.CELLS:
            cell = next((cell for cell in zone.cells if inside(cell, x, y)), None)
            return cell_place(cell, body) if cell is not None else (x, y, body.angle)
        case Arrangement.PILE:
            return cell_place(zone.box, body)
        case Arrangement.SPLAY:
            return _upright((x, y) if zone is home else splay_place(zone, len(others))[:2], zone, body)
        case Arrangement.AREA if body.shape is Shape.CARD:
            return _beside(zone, others, body, x)
        case _:
            return x, y, body.angle


def closed_up(truth: Truth, mat: Mat, name: str, fixed: Container[int]) -> tuple[Truth, tuple[int, ...]]:
    """Close gaps in a splay; return the table and the pushed cards. fixed: cards that others handle."""
    zone = zones(mat)[name]
    pushed = []
    for number, body in enumerate(b for b in members(truth, zone) if b is not None):
        if body.id in fixed:
            continue
        pose = splay_place(zone, number)
        if abs(along(zone, *pose[:2]) - along(zone, body.x, body.y)) > STRIP_MM / 3:
            pushed.append(body.id)
            truth = put(truth, msgspec.structs.replace(body, x=pose[0], y=pose[1]))
        else:
            truth = put(truth, body)  # the newest lies uppermost
    return truth, tuple(pushed)


def _upright(place: tuple[float, float], zone: MatZone, body: Body) -> Pose:
    across = zone.direction % 180 == 90
    return *place, 90.0 if across and body.height > body.width else 0.0


def _beside(zone: MatZone, others: list[Body], body: Body, x: float) -> Pose:
    box = zone.box
    x = min(max(x, box.x + body.width / 2), box.x + box.width - body.width / 2)
    y = box.y + box.height / 2
    if all(abs(x - other.x) >= body.width for other in others):
        return x, y, 0.0
    return free_place(random.Random(0), zone, others, body)  # cards go side by side: nothing is drawn
