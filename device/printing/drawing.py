"""A sheet of paper as data: shapes in millimetres from its top-left corner, y down, painted in order."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Colour: TypeAlias = str
"""Six hexadecimal digits after #, as in the web."""

Point: TypeAlias = tuple[float, float]

BLACK = "#000000"
WHITE = "#ffffff"

DPI = 300
"""Dots per inch of a picture, if nobody asks for others."""


class Shape(msgspec.Struct, frozen=True):
    """Closed outlines filled together by the even-odd rule, so that what touches has no seam; stroked if `line` is."""

    outlines: tuple[tuple[Point, ...], ...]
    fill: Colour | None = BLACK
    line: Colour | None = None
    width: float = 0.2


class DrawnDisc(msgspec.Struct, frozen=True):
    """A circle about a centre."""

    centre: Point
    radius: float
    fill: Colour | None = BLACK
    line: Colour | None = None
    width: float = 0.2


class Label(msgspec.Struct, frozen=True):
    """A line of text; `at` is on its baseline, `height` that of a line in millimetres."""

    text: str
    at: Point
    height: float
    colour: Colour = BLACK
    anchor: Literal["start", "middle", "end"] = "start"


class Clip(msgspec.Struct, frozen=True):
    """Part of another sheet: what lies in `window` (x, y, width, height there) is painted with its corner at `at`."""

    items: tuple[Item, ...]
    window: tuple[float, float, float, float]
    at: Point


Item: TypeAlias = "Shape | DrawnDisc | Label | Clip"


class Sheet(msgspec.Struct, frozen=True):
    """One page at true size. `name` is a plain word for the file's name."""

    name: str
    width: float
    height: float
    items: tuple[Item, ...]


def box(x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    """The outline of an upright rectangle."""
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def rule(start: Point, end: Point, colour: Colour = BLACK, width: float = 0.2) -> Shape:
    """A straight line."""
    return Shape(((start, end),), fill=None, line=colour, width=width)


YARDSTICK = (101.0, 7.0)
"""Width and height of the line of 100 mm with its words, which stand above it."""


def yardstick(middle: Point, colour: Colour = BLACK) -> tuple[Item, ...]:
    """A line of 100 mm: whoever prints can measure whether the printer scaled. middle: of the line, 2 mm above the
    lower end of its ticks."""
    (x, y) = middle
    ends = (x - 50, x + 50)
    ticks = (rule((end, y - 2), (end, y + 2), colour, 0.3) for end in ends)
    label = Label("100 mm", (x, y - 1.5), 3.5, colour, "middle")
    return (rule((ends[0], y), (ends[1], y), colour, 0.3), *ticks, label)
