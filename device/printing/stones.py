"""Draws a set's pieces to cut and glue, with blank backs."""

from __future__ import annotations

import math
from typing import Any

from device.art import SYMBOL, Drawing, drawings
from device.printing.cards import load, picture
from device.printing.drawing import A4, DrawnDisc, Item, Label, Point, Sheet, yardstick
from device.resources import find

PAPER = "#f1e7d0"
CUT = "#999999"
GAP = 8.0


def has_drawings(name: str) -> bool:
    """Return True if the set consists of discs with drawings."""
    return load(name).shape == "disc" and find("art", f"{name}.toml").is_file()


def geometry(name: str) -> dict[str, Any]:
    """Return a set's JSON geometry."""
    pieces = load(name)
    return {"set": name, "kinds": pieces.kinds, "size_mm": pieces.size_mm, "page_mm": A4}


def sheet(name: str, paper: tuple[float, float] = A4) -> Sheet:
    """Return a page of faces, then any backs, at the set's size."""
    pieces = load(name)
    art = drawings(name)
    diameter = pieces.size_mm[0]
    columns = int((paper[0] - 2 * GAP) // (diameter + GAP))
    left = (paper[0] - columns * (diameter + GAP) + GAP) / 2
    faces: list[str | None] = [*pieces.kinds]
    rows = math.ceil(len(faces) / columns)
    if pieces.backs:
        faces += [None] * (columns * rows - len(faces) + len(pieces.kinds))
    else:  # there are several of each, as far as the row goes
        faces = [pieces.kinds[place % len(pieces.kinds)] for place in range(columns * rows)]
    items: list[Item] = []
    for place, kind in enumerate(faces):
        row, column = divmod(place, columns)
        if row < rows and kind is None:
            continue
        centre = (left + column * (diameter + GAP) + diameter / 2, 24 + row * (diameter + GAP) + diameter / 2)
        items += _face(centre, diameter, art[kind] if kind is not None else None)
    words = f"{pieces.name}: cut out, glue on discs of {diameter:g} mm. Print at 100 %."
    return Sheet(
        pieces.name,
        *paper,
        (Label(words, (paper[0] / 2, 14), 4, anchor="middle"), *items, *yardstick((paper[0] / 2, paper[1] - 14))),
    )


def _face(centre: Point, diameter: float, symbol: Drawing | None) -> list[Item]:
    face = DrawnDisc(centre, diameter / 2, PAPER, CUT, 0.2)
    return [face, *(picture(symbol, centre, diameter * SYMBOL, PAPER) if symbol is not None else ())]
