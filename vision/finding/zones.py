"""Assigns pieces to zones and orders them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from engine.table import Arrangement, Face, Sighting, ZoneSight
from vision.mat import Box, MatZone

ROOM_MM = 3.0
"""Tolerance of a piece's centre outside its zone."""

STAYS_MM = 3.0
"""Motion within which a piece keeps its cell, unless another is nearer by twice that (hysteresis)."""


def zone_of(x_mm: float, y_mm: float, zones: Iterable[MatZone]) -> MatZone | None:
    """Return the zone at a place, or the nearest within `ROOM_MM`, or None."""
    near = [(zone, _outside(zone.box, x_mm, y_mm)) for zone in zones]
    best = min(near, key=lambda pair: pair[1], default=None)
    return best[0] if best is not None and best[1] <= ROOM_MM else None


def _outside(box: Box, x: float, y: float) -> float:
    return max(box.x - x, x - box.x - box.width, box.y - y, y - box.y - box.height)


def arrange(zone: MatZone, sightings: Sequence[Sighting], before: ZoneSight | None = None) -> ZoneSight:
    """Order a zone's pieces; keep only the one nearest a pile's middle, and one per cell. before: at the last rest."""
    if zone.order is Arrangement.CELLS:
        return ZoneSight(zone.name, zone.order, _cells(zone, sightings, before.pieces if before is not None else ()))
    if zone.order is Arrangement.AREA:
        by_kind = sorted(sightings, key=_by_kind)
        return ZoneSight(zone.name, zone.order, tuple(by_kind))
    if zone.order is Arrangement.PILE:
        middle = (zone.box.x + zone.box.width / 2, zone.box.y + zone.box.height / 2)
        ranked = sorted(sightings, key=lambda one: np.hypot(one.x_mm - middle[0], one.y_mm - middle[1]))
        return ZoneSight(zone.name, zone.order, tuple(ranked[:1]))
    turn = np.radians(zone.direction)
    along = sorted(sightings, key=lambda one: one.x_mm * np.cos(turn) + one.y_mm * np.sin(turn))
    return ZoneSight(zone.name, zone.order, tuple(along))


def _by_kind(one: Sighting) -> tuple[bool, str, bool, float, float]:
    return one.kind is None, one.kind or "", one.face is not Face.UP, one.x_mm, one.y_mm


def _cells(
    zone: MatZone, sightings: Sequence[Sighting], before: Sequence[Sighting | None]
) -> tuple[Sighting | None, ...]:
    cells: list[Sighting | None] = [None] * len(zone.cells)
    if not zone.cells:
        return ()
    centres = np.array([[cell.x + cell.width / 2, cell.y + cell.height / 2] for cell in zone.cells])
    told = {one.track: (number, one) for number, one in enumerate(before) if one is not None}
    places = [(one, np.hypot(centres[:, 0] - one.x_mm, centres[:, 1] - one.y_mm)) for one in sightings]
    homes = [(one, _cell(one, apart, told.get(one.track)), apart) for one, apart in places]
    for one, home, apart in sorted(homes, key=lambda each: float(each[2][each[1]])):
        for number in (home, int(apart.argmin())):
            if cells[number] is None:
                cells[number] = one
                break
    return tuple(cells)


def _cell(one: Sighting, apart: npt.NDArray[np.float64], told: tuple[int, Sighting] | None) -> int:
    nearest = int(apart.argmin())
    if told is None:
        return nearest
    number, then = told
    stayed = np.hypot(one.x_mm - then.x_mm, one.y_mm - then.y_mm) <= STAYS_MM
    return number if stayed and apart[number] - apart[nearest] <= 2 * STAYS_MM else nearest
