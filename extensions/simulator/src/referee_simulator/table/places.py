"""Places where a person would put pieces for a layout."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import msgspec

from engine.table import Arrangement, Layout, Spot
from referee_simulator.table.ground_truth import Body, Shape, Truth, along, members
from referee_simulator.table.scenes import Scene
from vision.mat import Box, Mat, MatZone

GAP_MM = 10.0

INSIDE_MM = 4.0
"""Least distance of a piece's centre from its area's edge."""

SLOT_MM = 3.0

STRIP_MM = 18.0

Pose = tuple[float, float, float]
"""x and y in mm, angle in degrees."""


class Maintenance(msgspec.Struct, frozen=True):
    """Jitter in mm and degrees; `card_deg` for cards."""

    jitter_mm: float = 2.0
    jitter_deg: float = 10.0
    card_deg: float = 6.0

    def of(self, body: Body) -> Maintenance:
        skew = self.card_deg if body.shape is Shape.CARD else self.jitter_deg
        return msgspec.structs.replace(self, jitter_deg=skew)

    def back(self) -> Maintenance:
        """Return the smaller jitter of putting back."""
        return Maintenance(self.jitter_mm * 0.6, self.jitter_deg * 0.5, self.card_deg * 0.5)


def care_in(scene: Scene) -> Maintenance:
    return Maintenance(scene.jitter_mm, scene.jitter_deg, scene.card_deg)


def zones(mat: Mat) -> dict[str, MatZone]:
    return {zone.name: zone for zone in mat.zones}


def bodies_at(layout: Layout, truth: Truth, mat: Mat) -> dict[Spot, Body]:
    """Return the physical piece at each spot of a matching layout."""
    found: dict[Spot, Body] = {}
    by_name = zones(mat)
    for zone in layout.zones:
        lying = members(truth, by_name[zone.zone])
        if zone.order is not Arrangement.AREA:
            pairs = enumerate(lying)
            found |= {Spot(zone.zone, index): body for index, body in pairs if body is not None}
            continue
        rest = [body for body in lying if body is not None]
        for index, piece in enumerate(zone.pieces):
            same = [b for b in rest if piece is not None and b.face is piece.face and piece.kind in (b.kind, None)]
            if same:
                found[Spot(zone.zone, index)] = same[0]
                rest.remove(same[0])
    return found


def jitter_pose(rng: random.Random, pose: Pose, maintenance: Maintenance) -> Pose:
    reach, way = maintenance.jitter_mm * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
    turn = rng.uniform(-maintenance.jitter_deg, maintenance.jitter_deg)
    return pose[0] + reach * math.cos(way), pose[1] + reach * math.sin(way), pose[2] + turn


def within(cell: Box, pose: Pose) -> Pose:
    """Keep a pose's centre at least a quarter of the cell's size from its sides."""
    rim_x, rim_y = cell.width / 4, cell.height / 4
    x = min(max(pose[0], cell.x + rim_x), cell.x + cell.width - rim_x)
    return x, min(max(pose[1], cell.y + rim_y), cell.y + cell.height - rim_y), pose[2]


def free_place(rng: random.Random, zone: MatZone, taken: Iterable[Body], body: Body) -> Pose:
    """Return a free place in an area, near the edge if necessary, or the least crowded tried; for cards the first free
    slot, or the first."""
    if body.shape is Shape.CARD:
        return _next_slot(zone, tuple(taken), body)
    radius = max(body.width, body.height) / 2
    box, others = zone.box, tuple(taken)
    best, best_room = (box.x + box.width / 2, box.y + box.height / 2), -1.0
    for margin in (radius + 2, INSIDE_MM):
        for _ in range(60):
            x = rng.uniform(box.x + margin, box.x + box.width - margin)
            y = rng.uniform(box.y + margin, box.y + box.height - margin)
            room = min((math.hypot(x - b.x, y - b.y) for b in others), default=1e9)
            if room > best_room:
                best, best_room = (x, y), room
            if best_room > 2 * radius + GAP_MM:
                break
        if best_room > 2 * radius:
            break
    return best[0], best[1], rng.uniform(-20, 20)


def _next_slot(zone: MatZone, taken: tuple[Body, ...], body: Body) -> Pose:
    box, y = zone.box, zone.box.y + zone.box.height / 2
    pitch = body.width + SLOT_MM
    slots = [box.x + 2 + pitch * number + body.width / 2 for number in range(max(1, int((box.width - 2) // pitch)))]
    free = (x for x in slots if all(abs(x - b.x) > pitch * 0.8 or abs(y - b.y) > body.height / 2 for b in taken))
    return next(free, slots[0]), y, 0.0


def row_places(zone: MatZone, stay: tuple[Body | None, ...], size_mm: float) -> tuple[Pose, ...]:
    """Return a row's poses. stay: None for an arriving piece; others keep their places, unless the row must slide or
    close up."""
    pitch = size_mm + GAP_MM
    where = _space_out([None if b is None else along(zone, b.x, b.y) for b in stay], _middle(zone), pitch)
    low, high = _limits(zone, size_mm)
    if len(where) > 1 and where[-1] - where[0] > high - low:
        step = (high - low) / (len(where) - 1)
        where = [low + step * index for index in range(len(where))]
    shift = max(0.0, low - min(where)) - max(0.0, max(where) - high)
    return tuple(_on_row(zone, place + shift, body) for place, body in zip(where, stay, strict=True))


def _space_out(wanted: list[float | None], middle: float, pitch: float) -> list[float]:
    if all(place is None for place in wanted):
        return [middle + pitch * (index - (len(wanted) - 1) / 2) for index in range(len(wanted))]
    placed: list[float] = []
    known = [(index, place) for index, place in enumerate(wanted) if place is not None]
    first_index, first = known[0]
    last_index, last = known[-1]
    for index, place in enumerate(wanted):
        if place is not None:
            placed.append(place)
        elif index < first_index:
            placed.append(first - pitch * (first_index - index))
        elif index > last_index:
            placed.append(last + pitch * (index - last_index))
        else:
            before = placed[-1]
            after_index, after = next((i, p) for i, p in known if i > index)
            placed.append(before + (after - before) / (after_index - index + 1))
    return _apart(placed, [index for index, place in enumerate(wanted) if place is None], pitch * 0.9)


def _apart(placed: list[float], arriving: list[int], least: float) -> list[float]:
    if not arriving:
        return placed
    out, centre = list(placed), arriving[0]
    for index in range(centre + 1, len(out)):
        out[index] = max(out[index], out[index - 1] + least)
    for index in range(centre - 1, -1, -1):
        out[index] = min(out[index], out[index + 1] - least)
    return out


def _middle(zone: MatZone) -> float:
    return along(zone, zone.box.x + zone.box.width / 2, zone.box.y + zone.box.height / 2)


def _limits(zone: MatZone, size_mm: float) -> tuple[float, float]:
    box = zone.box
    corners = [(box.x + dx * box.width, box.y + dy * box.height) for dx in (0, 1) for dy in (0, 1)]
    reach = [along(zone, x, y) for x, y in corners]
    return min(reach) + size_mm / 2 + 3, max(reach) - size_mm / 2 - 3


def _on_row(zone: MatZone, place: float, body: Body | None) -> Pose:
    box, turned = zone.box, math.radians(zone.direction)
    cx, cy = box.x + box.width / 2, box.y + box.height / 2
    off = place - _middle(zone)
    x, y = cx + off * math.cos(turned), cy + off * math.sin(turned)
    if body is None:
        return x, y, 0.0
    aside = -(body.x - cx) * math.sin(turned) + (body.y - cy) * math.cos(turned)
    return x - aside * math.sin(turned), y + aside * math.cos(turned), body.angle


def cell_place(cell: Box, body: Body) -> Pose:
    """Return a cell's centre, with the piece rotated to fit."""
    across = (cell.width > cell.height) != (body.width > body.height) and body.width != body.height
    return cell.x + cell.width / 2, cell.y + cell.height / 2, 90.0 if across else 0.0


def splay_place(zone: MatZone, lying: int) -> Pose:
    """Return a card's pose in a splay after `lying` others."""
    box, turned = zone.box, math.radians(zone.direction)
    low, _ = _limits(zone, min(box.width, box.height) * 0.6)
    off = low + STRIP_MM * lying - _middle(zone)
    x, y = box.x + box.width / 2 + off * math.cos(turned), box.y + box.height / 2 + off * math.sin(turned)
    return x, y, zone.direction % 180.0
