"""Draws a mat's plan with labels of all places, on one page."""

from __future__ import annotations

import math
from textwrap import wrap

from device import games
from device.locale import translate
from device.printing.drawing import A4, Item, Point, Shape, Sheet, box
from device.printing.lettering import fit_height, words
from device.printing.mat import load
from engine.catalogue import GameSpec, TableSetup, complete
from engine.errors import Refusal
from engine.table import SEATS, Arrangement, Layout, Seat, ZoneLayout
from engine.text import Text, say
from vision.mat import Box, Mat, MatZone

INK, FRAME, PAPER = "#202020", "#606060", "#e4e4e4"
RIM, HEAD = 14.0, 12.0
NAME_MM, PLACE_MM, READABLE_MM, SEAT_MM = 4.5, 3.4, 2.6, 8.0
GAP_MM = 2.4
"""Free mm beside places needed for the zone's name."""


def sheet(spec: GameSpec, name: str, language: str = "en", paper: tuple[float, float] = A4) -> Sheet:
    """Return a mat's plan on landscape paper. Raises as `load`."""
    return _Drawing(load(name), _layout(spec, name), language, paper[::-1]).sheet(spec.title)


def _layout(spec: GameSpec, name: str) -> Layout:
    game = games.game(spec)
    tables = [table for table in spec.tables if table.mat == name]
    tried = [(table, count) for table in tables for count in table.seats]
    for table, count in sorted(tried, key=lambda each: (len(each[0].zones), each[1]), reverse=True):
        try:
            return game.layout(game.setup(complete(spec.options, _rules(table)), SEATS[:count], 0))
        except Refusal:
            continue
    return Layout(())


def _rules(table: TableSetup) -> dict[str, str | int | bool]:
    return dict(table.when)


class _Drawing:
    """A mat scaled to a page; `scale` converts mat mm to page mm."""

    def __init__(self, mat: Mat, layout: Layout, language: str, page: tuple[float, float]) -> None:
        self._mat, self._language, self._page = mat, language, page
        self._zones = {zone.zone: zone for zone in layout.zones}
        room = page[0] - 2 * RIM, page[1] - 2 * RIM - HEAD
        self._scale = min(room[0] / mat.size_mm[0], room[1] / mat.size_mm[1])
        wide, high = (side * self._scale for side in mat.size_mm)
        self._corner = (page[0] - wide) / 2, HEAD + (page[1] - HEAD - high) / 2

    def sheet(self, title: str) -> Sheet:
        head = translate(say("{game}: what lies where on the mat", game=Text(title)), self._language)
        items: list[Item] = [
            self._frame(Box(0, 0, *self._mat.size_mm), None),
            *(self._frame(Box(each.x, each.y, each.side, each.side), PAPER) for each in self._mat.markers),
            *(self._frame(each, PAPER) for each in (self._mat.white, self._mat.gray)),
            words(head, (self._page[0] / 2, HEAD), 6.0, self._language, colour=INK, anchor="middle"),
        ]
        for zone in self._mat.zones:
            items += self._zone(zone)
        for seat, side in max(self._mat.sides.values(), key=len).items():
            items.append(self._seat(seat, side))
        return Sheet(f"{self._mat.name} plan", *self._page, tuple(items))

    def _zone(self, zone: MatZone) -> list[Item]:
        places = zone.cells or (zone.box,)
        items: list[Item] = [self._frame(each, None) for each in (zone.box, *zone.cells)]
        items += [self._place(zone, index, cell) for index, cell in enumerate(zone.cells) if len(places) > 1]
        return [*items, self._name(zone)]

    def _place(self, zone: MatZone, index: int, cell: Box) -> Shape:
        known = self._zones.get(zone.name, ZoneLayout(zone.name, Arrangement.CELLS, ()))
        text = translate(known.places[index], self._language) if index < len(known.places) else str(index + 1)
        lines, size = self._break_lines(text, cell.width * self._scale - 1.5)
        x, y = self._at(cell.x + cell.width / 2, cell.y + cell.height / 2)
        first = y - size * (len(lines) / 2 - 0.8)
        drawn = [
            words(line, (x, first + size * number), size, self._language, colour=FRAME, anchor="middle")
            for number, line in enumerate(lines)
        ]
        return Shape(tuple(outline for line in drawn for outline in line.outlines), FRAME)

    def _break_lines(self, text: str, room: float) -> tuple[list[str], float]:
        parts = len(text.split())
        for count in range(1, parts + 1):
            lines = wrap(text, max(math.ceil(len(text) / count), *map(len, text.split()), 1)) or [text]
            size = min(fit_height(line, room, PLACE_MM, self._language) for line in lines)
            if size >= READABLE_MM:
                break
        return lines, size

    def _name(self, zone: MatZone) -> Item:
        text = translate(Text(zone.name), self._language)
        left, top = self._at(zone.box.x, zone.box.y)
        wide, high = zone.box.width * self._scale, zone.box.height * self._scale
        upright = high > 1.5 * wide and fit_height(text, wide - 2, NAME_MM, self._language) < NAME_MM
        length, depth = (high, wide) if upright else (wide, high)
        above, below = self._gaps(zone, upright=upright)
        row, gap = len(zone.cells) > 1, above if above >= GAP_MM else below
        size = fit_height(text, length - 2, min(NAME_MM, gap) if row and gap >= GAP_MM else NAME_MM, self._language)
        along = 1.0 if row else (length - self._wide(text, size)) / 2
        if not row:
            across = (depth + size * 0.7) / 2
        elif above >= GAP_MM:
            across = -size / 5
        else:
            across = depth + size if below >= GAP_MM else size
        if not upright:
            return words(text, (left + along, top + across), size, self._language, colour=INK)
        return _turn_text(words(text, (along, across), size, self._language, colour=INK), (left, top + high))

    def _gaps(self, zone: MatZone, *, upright: bool) -> tuple[float, float]:
        def span(box: Box, *, across: bool) -> tuple[float, float]:
            return (box.x, box.x + box.width) if across else (box.y, box.y + box.height)

        start, end = span(zone.box, across=upright)
        low, high = span(zone.box, across=not upright)
        near = [other.box for other in self._mat.zones if other is not zone]
        beside = [
            box for box in near if span(box, across=not upright)[0] < high > low < span(box, across=not upright)[1]
        ]
        before = [stop for box in beside if (stop := span(box, across=upright)[1]) <= start]
        after = [first for box in beside if (first := span(box, across=upright)[0]) >= end]
        edge = self._mat.size_mm[0 if upright else 1]
        return (start - max(before, default=0.0)) * self._scale, (min(after, default=edge) - end) * self._scale

    def _wide(self, text: str, size: float) -> float:
        shape = words(text, (0.0, 0.0), size, self._language)
        return max((x for outline in shape.outlines for x, _ in outline), default=0.0)

    def _seat(self, seat: Seat, side: str) -> Item:
        width, height = self._mat.size_mm
        gap = (SEAT_MM / 2 + 1) / self._scale
        places = {
            "bottom": (width / 2, height + gap),
            "top": (width / 2, -gap),
            "left": (-gap, height / 2),
            "right": (width + gap, height / 2),
        }
        x, y = self._at(*places[side])
        return words(seat.upper(), (x, y + SEAT_MM / 3), SEAT_MM, self._language, colour=INK, anchor="middle")

    def _frame(self, place: Box, fill: str | None) -> Shape:
        outline = box(*self._at(place.x, place.y), place.width * self._scale, place.height * self._scale)
        return Shape((outline,), fill=fill, line=FRAME, width=0.3)

    def _at(self, x: float, y: float) -> Point:
        return self._corner[0] + x * self._scale, self._corner[1] + y * self._scale


def _turn_text(shape: Shape, about: Point) -> Shape:
    angle = -math.pi / 2
    outlines = tuple(
        tuple(
            (
                about[0] + x * math.cos(angle) - y * math.sin(angle),
                about[1] + x * math.sin(angle) + y * math.cos(angle),
            )
            for x, y in outline
        )
        for outline in shape.outlines
    )
    return Shape(outlines, shape.fill)
