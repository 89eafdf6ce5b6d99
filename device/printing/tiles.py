"""Cuts a large sheet into A4 tiles with crop marks."""

from __future__ import annotations

import math

from device.printing.drawing import Clip, Item, Label, Sheet, rule, yardstick

A4 = (210.0, 297.0)
LETTER = (215.9, 279.4)
MARGIN = 10.0
"""Margin in mm for printers and crop marks."""
MARK = 6.0
GAP = 1.0


def tile(sheet: Sheet, paper: tuple[float, float] = A4) -> tuple[Sheet, ...]:
    """Return equal tiles by rows, in the orientation that needs fewer."""
    across = min((paper, paper[::-1]), key=lambda each: math.prod(_grid(sheet, each)))
    columns, rows = _grid(sheet, across)
    return tuple(_page(sheet, across, (columns, rows), column, row) for row in range(rows) for column in range(columns))


def _grid(sheet: Sheet, paper: tuple[float, float]) -> tuple[int, int]:
    room = paper[0] - 2 * MARGIN, paper[1] - 2 * MARGIN
    return math.ceil(sheet.width / room[0]), math.ceil(sheet.height / room[1])


def _page(sheet: Sheet, paper: tuple[float, float], grid: tuple[int, int], column: int, row: int) -> Sheet:
    width, height = sheet.width / grid[0], sheet.height / grid[1]
    x, y = (paper[0] - width) / 2, (paper[1] - height) / 2
    part = Clip(sheet.items, (column * width, row * height, width, height), (x, y))
    name = f"{sheet.name} {row + 1}-{column + 1}"
    text = (
        f"{sheet.name}: row {row + 1} of {grid[1]}, sheet {column + 1} of {grid[0]}. Print at 100 %, cut at the marks."
    )
    label = Label(text, (paper[0] / 2, y - 3), 3.5, anchor="middle")
    measure = yardstick((paper[0] / 2, y + height + 6))
    return Sheet(name, *paper, (part, *_crops(x, y, x + width, y + height), label, *measure))


def _crops(left: float, top: float, right: float, bottom: float) -> tuple[Item, ...]:
    marks: list[Item] = []
    for x, out in ((left, -1), (right, 1)):
        marks += [rule((x + out * GAP, y), (x + out * (GAP + MARK), y)) for y in (top, bottom)]
    for y, out in ((top, -1), (bottom, 1)):
        marks += [rule((x, y + out * GAP), (x, y + out * (GAP + MARK))) for x in (left, right)]
    return tuple(marks)
