"""Draws the ChArUco board for lens calibration."""

from __future__ import annotations

from typing import Any

from device.printing.drawing import A4, BLACK, Item, Label, Shape, Sheet, box
from device.printing.mat import corners, marker
from vision.registration.lens import CalibrationBoard


def sheet(board: CalibrationBoard, paper: tuple[float, float] = A4) -> Sheet:
    """Return the board on landscape paper."""
    width, height = lying = paper[::-1]
    left, top = _origin(board, lying)
    dark: list[tuple[tuple[float, float], ...]] = []
    for row in range(board.rows):
        for column in range(board.columns):
            if (row + column) % 2 == 0:
                x, y = left + column * board.square_mm, top + row * board.square_mm
                dark.append(box(x, y, board.square_mm, board.square_mm))
    items: list[Item] = [Shape((outline,), BLACK) for outline in dark]
    for ident, (x, y) in enumerate(_places(board, lying)):
        items.append(marker(board.dictionary, ident, x, y, board.marker_mm))
    text = f"Print at 100 %: a square measures {board.square_mm:g} mm. Glue it on something stiff and flat."
    return Sheet("calibration", width, height, (*items, Label(text, (width / 2, height - 8), 4, anchor="middle")))


def geometry(board: CalibrationBoard) -> dict[str, Any]:
    """Return the JSON geometry."""
    return {
        "size_mm": A4[::-1],
        "dictionary": board.dictionary,
        "squares": (board.columns, board.rows),
        "square_mm": board.square_mm,
        "marker_mm": board.marker_mm,
        "markers": [
            {"id": ident, "corners": corners(x, y, board.marker_mm)}
            for ident, (x, y) in enumerate(_places(board, A4[::-1]))
        ],
    }


def _origin(board: CalibrationBoard, page: tuple[float, float]) -> tuple[float, float]:
    width, height = page
    return (width - board.columns * board.square_mm) / 2, (height - board.rows * board.square_mm) / 2 - 4


def _places(board: CalibrationBoard, page: tuple[float, float]) -> list[tuple[float, float]]:
    left, top = _origin(board, page)
    rim = (board.square_mm - board.marker_mm) / 2
    return [
        (left + column * board.square_mm + rim, top + row * board.square_mm + rim)
        for row in range(board.rows)
        for column in range(board.columns)
        if (row + column) % 2 == 1
    ]
