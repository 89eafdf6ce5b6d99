"""Draws a game's mat, its plan with all places' labels, and the ChArUco board for lens calibration."""

from __future__ import annotations

import math
from textwrap import wrap
from typing import Any

import cv2
import numpy as np

from device import games
from device.locale import translate
from device.printing.drawing import (
    A4,
    BLACK,
    WHITE,
    YARDSTICK,
    Item,
    Label,
    Point,
    Shape,
    Sheet,
    box,
    caption,
    fit_height,
    words,
    yardstick,
)
from device.resources import load_shipped
from engine.catalogue import GameSpec, TableSetup, complete
from engine.errors import Refusal
from engine.table import SEATS, Arrangement, Layout, Seat, ZoneLayout
from engine.text import Text, say
from vision.mat import QUIET, Box, Marker, Mat, MatZone
from vision.registration.lens import CalibrationBoard, dictionary

GROUND = "#465c4a"
OUTLINE = "#a0b096"
GRAY = "#808080"
EDGE, CLEAR = 5.0, (4.0, 1.0)
"""Distances in mm of the 100 mm line from the edge and from other things (preferred, least)."""


def load(name: str) -> Mat:
    """Return a shipped mat. Raises as `load_shipped`."""
    return load_shipped(Mat, "mats", f"{name}.toml")


def sheet(mat: Mat, *, measured: bool = True) -> Sheet:
    """Return the mat at full size. measured: with a 100 mm line, given room."""
    width, height = mat.size_mm
    items: list[Item] = [Shape((box(0, 0, width, height),), GROUND)]
    for zone in mat.zones:
        items += [_frame(each) for each in (zone.box, *zone.cells)]
        if zone.label:
            items.append(_label(zone.label, (zone.box.x + 2, zone.box.y + 6)))
    items += [_patch(mat.white, WHITE), _patch(mat.gray, GRAY)]
    for each in mat.markers:
        items += [_patch(_quiet(each), WHITE), marker(mat.dictionary, each.id, each.x, each.y, each.side)]
    places = (_free(mat, *YARDSTICK, clear) for clear in CLEAR) if measured else ()
    place = next((each for each in places if each), None)
    measure = yardstick((place[0] + YARDSTICK[0] / 2, place[1] + YARDSTICK[1] - 2), OUTLINE) if place else ()
    return Sheet(mat.name, width, height, (*items, *measure))


def _quiet(each: Marker) -> Box:
    rim = min(each.side * QUIET, each.x, each.y)
    return Box(each.x - rim, each.y - rim, each.side + 2 * rim, each.side + 2 * rim)


def _free(mat: Mat, width: float, height: float, clear: float) -> Point | None:
    taken = [*(zone.box for zone in mat.zones), mat.white, mat.gray, *map(_quiet, mat.markers)]
    right, low = mat.size_mm[0] - EDGE - width, mat.size_mm[1] - EDGE - height
    across = sorted(np.arange(EDGE, right + 0.5, 1.0).tolist(), key=lambda x: abs(x + width / 2 - mat.size_mm[0] / 2))
    for y in np.arange(low, EDGE, -1.0).tolist():
        for x in across:
            if not any(
                box.x - clear < x + width
                and x < box.x + box.width + clear
                and box.y - clear < y + height
                and y < box.y + box.height + clear
                for box in taken
            ):
                return x, y
    return None


def geometry(mat: Mat) -> dict[str, Any]:
    """Return the JSON geometry: mm from the top left, marker corners clockwise."""
    return {
        "mat": mat.name,
        "size_mm": mat.size_mm,
        "dictionary": mat.dictionary,
        "markers": [{"id": each.id, "corners": corners(each.x, each.y, each.side)} for each in mat.markers],
        "zones": [
            {"name": zone.name, "order": zone.order, "set": zone.set, "box": zone.box, "cells": zone.cells}
            for zone in mat.zones
        ],
        "white": mat.white,
        "gray": mat.gray,
        "sides": mat.sides,
    }


def _frame(place: Box) -> Shape:
    outline = box(place.x, place.y, place.width, place.height)
    return Shape((outline,), fill=None, line=OUTLINE, width=0.75)


def _label(text: str, at: Point) -> Label | Shape:
    """Return a zone's small print; as outlines if the printed file's own font lacks its letters."""
    return Label(text, at, 5.0, OUTLINE) if text.isascii() else words(text, at, 5.0, "en", colour=OUTLINE)


def _patch(place: Box, colour: str) -> Shape:
    return Shape((box(place.x, place.y, place.width, place.height),), colour)


def marker(name: str, ident: int, x: float, y: float, side: float) -> Shape:
    """Return a black-rimmed marker, top left at (x, y), `side` mm wide. Raises ValueError for an unknown dictionary."""
    words = dictionary(name)
    cells = words.markerSize + 2
    bits = cv2.aruco.generateImageMarker(words, ident, cells) < 128
    cell = side / cells
    outlines: list[tuple[Point, ...]] = []
    for row in range(cells):
        run = 0
        for column in range(cells + 1):
            if column < cells and bits[row, column]:
                run += 1
            elif run:
                outlines.append(box(x + (column - run) * cell, y + row * cell, run * cell, cell))
                run = 0
    return Shape(tuple(outlines), BLACK)


def corners(x: float, y: float, side: float) -> tuple[Point, ...]:
    """Return the corners clockwise from the top left, as OpenCV does."""
    return box(x, y, side, side)


def board_sheet(board: CalibrationBoard, paper: tuple[float, float] = A4, language: str = "en") -> Sheet:
    """Return the board on landscape paper."""
    width, height = lying = paper[::-1]
    left, top = _board_origin(board, lying)
    dark: list[tuple[tuple[float, float], ...]] = []
    for row in range(board.rows):
        for column in range(board.columns):
            if (row + column) % 2 == 0:
                x, y = left + column * board.square_mm, top + row * board.square_mm
                dark.append(box(x, y, board.square_mm, board.square_mm))
    items: list[Item] = [Shape((outline,), BLACK) for outline in dark]
    for ident, (x, y) in enumerate(_marker_places(board, lying)):
        items.append(marker(board.dictionary, ident, x, y, board.marker_mm))
    text = say(
        "Print at 100%: a square measures {mm} mm. Glue it on something stiff and flat.", mm=f"{board.square_mm:g}"
    )
    return Sheet(
        "calibration", width, height, (*items, caption(text, (width / 2, height - 8), width - 2 * EDGE, language))
    )


def board_geometry(board: CalibrationBoard, paper: tuple[float, float] = A4) -> dict[str, Any]:
    return {
        "size_mm": paper[::-1],
        "dictionary": board.dictionary,
        "squares": (board.columns, board.rows),
        "square_mm": board.square_mm,
        "marker_mm": board.marker_mm,
        "markers": [
            {"id": ident, "corners": corners(x, y, board.marker_mm)}
            for ident, (x, y) in enumerate(_marker_places(board, paper[::-1]))
        ],
    }


def _board_origin(board: CalibrationBoard, page: tuple[float, float]) -> tuple[float, float]:
    width, height = page
    return (width - board.columns * board.square_mm) / 2, (height - board.rows * board.square_mm) / 2 - 4


def _marker_places(board: CalibrationBoard, page: tuple[float, float]) -> list[tuple[float, float]]:
    left, top = _board_origin(board, page)
    rim = (board.square_mm - board.marker_mm) / 2
    return [
        (left + column * board.square_mm + rim, top + row * board.square_mm + rim)
        for row in range(board.rows)
        for column in range(board.columns)
        if (row + column) % 2 == 1
    ]


INK, FRAME, PAPER = "#202020", "#606060", "#e4e4e4"
RIM, HEAD = 14.0, 12.0
NAME_MM, PLACE_MM, READABLE_MM, SEAT_MM = 4.5, 3.4, 2.6, 8.0
GAP_MM = 2.4
"""Free mm beside places needed for the zone's name."""


def plan_sheet(spec: GameSpec, name: str, language: str = "en", paper: tuple[float, float] = A4) -> Sheet:
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
    """A mat scaled to a page."""

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
