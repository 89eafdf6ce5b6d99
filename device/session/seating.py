"""Seating: who may play at a table with panels for more players, and at which side of the mat each sits."""

from __future__ import annotations

from itertools import combinations

from device.session.table import Table
from engine.table import SEATS, Seat
from vision.mat import Mat

_AROUND = dict(zip(SEATS, ("bottom", "left", "top", "right"), strict=True))
"""The sides of a table for four, clockwise as seat a sees it."""


def seatings(table: Table, count: int, phones: frozenset[Seat]) -> tuple[tuple[Seat, ...], ...]:
    """Every way in which so many may sit. First those in which everybody has a panel or a phone, then the most even
    ones: two players opposite each other. If in just one of them everybody has one, they sit so."""
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
    """The side of the mat at which each seat is. Panels are wired to places, however few play."""
    wired = table.panels if len(table.panels) >= len(seats) else seats
    for found in (mat.sides.get(str(len(wired)), {}), _AROUND):
        if set(seats) <= found.keys():
            return {seat: found[seat] for seat in seats}
    return {}
