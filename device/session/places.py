"""Seating: who may play at a table with panels for more players, and at which side of the mat each sits."""

from __future__ import annotations

from itertools import combinations

from device.session.table import LETTERS, Table
from engine.table import Seat
from vision.mat import Mat

_AROUND = dict(zip(LETTERS, ("bottom", "left", "top", "right"), strict=True))
"""The sides of a table for four, clockwise as seat a sees it."""


def seatings(table: Table, count: int) -> tuple[tuple[Seat, ...], ...]:
    """Every way in which so many may sit. First those in which everybody has a panel, then the most even ones: two
    players opposite each other."""
    size = len(table.seats)

    def strangeness(seats: tuple[Seat, ...]) -> tuple[int, int]:
        places = [table.seats.index(seat) for seat in seats]
        gaps = [(after - before) % size or size for before, after in zip(places, places[1:] + places[:1], strict=True)]
        return sum(table.desk_of(seat) not in table.displays for seat in seats), max(gaps) - min(gaps)

    return tuple(sorted(combinations(table.seats, count), key=strangeness))


def sides_of(table: Table, mat: Mat, seats: tuple[Seat, ...]) -> dict[Seat, str]:
    """The side of the mat at which each seat is. Panels are wired to places, however few play."""
    wired = table.panels if len(table.panels) >= len(seats) else seats
    for found in (mat.sides.get(str(len(wired)), {}), _AROUND):
        if set(seats) <= found.keys():
            return {seat: found[seat] for seat in seats}
    return {}
