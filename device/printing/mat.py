"""Draws a game's mat and the ChArUco board for lens calibration, and returns their geometry."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from device.printing.drawing import A4, BLACK, WHITE, YARDSTICK, Item, Label, Point, Shape, Sheet, box, yardstick
from device.resources import load_shipped
from vision.mat import Box, Marker, Mat
from vision.registration.lens import CalibrationBoard, dictionary

GROUND = "#465c4a"
OUTLINE = "#a0b096"
GRAY = "#808080"
QUIET = 1 / 6
"""Width of a marker's white rim relative to its side."""
EDGE, CLEAR = 5.0, (4.0, 1.0)
"""Distances in mm of the 100 mm line from the edge and from other things (preferred, least)."""


def load(name: str) -> Mat:
    """Return a shipped mat. Raises as `load_shipped`."""
    return load_shipped(Mat, "mats", f"{name}.toml")


def sheet(mat: Mat, *, measured: bool = True) -> Sheet:
    """Return the mat at full size. measured: with a 100 mm line."""
    width, height = mat.size_mm
    items: list[Item] = [Shape((box(0, 0, width, height),), GROUND)]
    for zone in mat.zones:
        items += [_frame(each) for each in (zone.box, *zone.cells)]
        if zone.label:
            items.append(Label(zone.label, (zone.box.x + 2, zone.box.y + 6), 5.0, OUTLINE))
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


def _patch(place: Box, colour: str) -> Shape:
    return Shape((box(place.x, place.y, place.width, place.height),), colour)


def marker(name: str, ident: int, x: float, y: float, side: float) -> Shape:
    """Return a marker with its black rim; top left at (x, y), `side` mm wide. Raises ValueError."""
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


def board_sheet(board: CalibrationBoard, paper: tuple[float, float] = A4) -> Sheet:
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
    text = f"Print at 100 %: a square measures {board.square_mm:g} mm. Glue it on something stiff and flat."
    return Sheet("calibration", width, height, (*items, Label(text, (width / 2, height - 8), 4, anchor="middle")))


def board_geometry(board: CalibrationBoard) -> dict[str, Any]:
    """Return the JSON geometry."""
    return {
        "size_mm": A4[::-1],
        "dictionary": board.dictionary,
        "squares": (board.columns, board.rows),
        "square_mm": board.square_mm,
        "marker_mm": board.marker_mm,
        "markers": [
            {"id": ident, "corners": corners(x, y, board.marker_mm)}
            for ident, (x, y) in enumerate(_marker_places(board, A4[::-1]))
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
