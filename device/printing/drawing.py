"""Describes a sheet as shapes in mm from the top left, y down, in painting order."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Colour: TypeAlias = str
""""#" and six hexadecimal digits."""

Point: TypeAlias = tuple[float, float]

BLACK = "#000000"
WHITE = "#ffffff"

DPI = 300
"""Default dots per inch."""


class Shape(msgspec.Struct, frozen=True):
    """Closed outlines filled by the even-odd rule, stroked if `line` is set."""

    outlines: tuple[tuple[Point, ...], ...]
    fill: Colour | None = BLACK
    line: Colour | None = None
    width: float = 0.2


class DrawnDisc(msgspec.Struct, frozen=True):
    """A circle."""

    centre: Point
    radius: float
    fill: Colour | None = BLACK
    line: Colour | None = None
    width: float = 0.2


class Label(msgspec.Struct, frozen=True):
    """A line of text; `at` is on its baseline, `height` in mm."""

    text: str
    at: Point
    height: float
    colour: Colour = BLACK
    anchor: Literal["start", "middle", "end"] = "start"


class Clip(msgspec.Struct, frozen=True):
    """A part of another sheet: `window` (x, y, width, height) with its corner at `at`."""

    items: tuple[Item, ...]
    window: tuple[float, float, float, float]
    at: Point


Item: TypeAlias = "Shape | DrawnDisc | Label | Clip"


class Sheet(msgspec.Struct, frozen=True):
    """A true-size page. name: for its file."""

    name: str
    width: float
    height: float
    items: tuple[Item, ...]


def box(x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    """Return a rectangle's outline."""
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def rule(start: Point, end: Point, colour: Colour = BLACK, width: float = 0.2) -> Shape:
    """Return a straight line."""
    return Shape(((start, end),), fill=None, line=colour, width=width)


YARDSTICK = (101.0, 7.0)
"""Width and height of the 100 mm line with its label."""


def yardstick(middle: Point, colour: Colour = BLACK) -> tuple[Item, ...]:
    """Return a 100 mm line for checking the print. middle: 2 mm above the ticks' lower end."""
    (x, y) = middle
    ends = (x - 50, x + 50)
    ticks = (rule((end, y - 2), (end, y + 2), colour, 0.3) for end in ends)
    label = Label("100 mm", (x, y - 1.5), 3.5, colour, "middle")
    return (rule((ends[0], y), (ends[1], y), colour, 0.3), *ticks, label)
