"""Seats players at the table and finds each seat's side of the mat."""

from __future__ import annotations

from itertools import combinations

from device.session.table import Table
from engine.table import SEATS, Seat
from vision.mat import Mat

_AROUND = dict(zip(SEATS, ("bottom", "left", "top", "right"), strict=True))
"""Sides of a table for four, clockwise from seat a."""


def seatings(table: Table, count: int, phones: frozenset[Seat]) -> tuple[tuple[Seat, ...], ...]:
    """Return the seatings, by controls for everybody, then evenness; if just one gives everybody controls, only
    that."""
    size = len(table.seats)

    def without(seats: tuple[Seat, ...]) -> int:
        return sum(table.menu_state_of(seat) not in table.displays and seat not in phones for seat in seats)

    def strangeness(seats: tuple[Seat, ...]) -> tuple[int, int]:
        places = [table.seats.index(seat) for seat in seats]
        gaps = [(after - before) % size or size for before, after in zip(places, places[1:] + places[:1], strict=True)]
        return without(seats), max(gaps) - min(gaps)

    found = sorted(combinations(table.seats, count), key=strangeness)
    equipped = tuple(seats for seats in found if not without(seats))
    return equipped if len(equipped) == 1 else tuple(found)


def sides_of(table: Table, mat: Mat, seats: tuple[Seat, ...]) -> dict[Seat, str]:
    """Return each seat's side of the mat. Wired panels fix the sides, however few play."""
    wired = table.panels if len(table.panels) >= len(seats) else seats
    for found in (mat.sides.get(str(len(wired)), {}), _AROUND):
        if set(seats) <= found.keys():
            return {seat: found[seat] for seat in seats}
    return {}
