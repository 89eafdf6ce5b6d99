"""Separates overlapping things: of two reported in one place, only the upper one can be plainly seen."""

from __future__ import annotations

import math
from itertools import combinations

from msgspec.structs import replace

from engine.table import Observation, Order, Sight, Sighting, ZoneSight

APART_MM = 6.0
"""Nearer to one another the middles of two pieces never lie, each of them to be seen: no strip is so narrow."""


def apart(observation: Observation) -> Observation:
    """The observation as it can be: what lay first where something else is seen by now counts as covered by it.

    A piece that is turned or pushed may be told anew while vision still believes it to lie as it did.
    """
    zones = tuple(_uncovered(zone) for zone in observation.zones)
    return observation if zones == observation.zones else replace(observation, zones=zones)


def _uncovered(zone: ZoneSight) -> ZoneSight:
    if zone.order in (Order.CELLS, Order.PILE):
        return zone
    seen = [s for s in zone.pieces if s is not None and s.sight is Sight.SEEN]
    below = {min(a.track, b.track) for a, b in combinations(seen, 2) if _together(a, b)}
    if not below:
        return zone
    return replace(zone, pieces=tuple(s and (_covered(s) if s.track in below else s) for s in zone.pieces))


def _together(a: Sighting, b: Sighting) -> bool:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < APART_MM


def _covered(sighting: Sighting) -> Sighting:
    return replace(sighting, sight=Sight.COVERED)
