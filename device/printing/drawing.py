"""Describes a sheet as shapes in painting order (mm from top left, y down), tiles it, and draws text as outlines."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import accumulate, product
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from PIL import Image, ImageDraw

from device.locale import languages, translate
from device.resources import AGAIN, resource
from device.screens import fonts
from engine.text import Text, say
from vision.files import read_json

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
    """A line of text; `at` is on its baseline."""

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
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def rule(start: Point, end: Point, colour: Colour = BLACK, width: float = 0.2) -> Shape:
    """Return a straight line."""
    return Shape(((start, end),), fill=None, line=colour, width=width)


YARDSTICK = (101.0, 7.0)
"""Width and height of the 100 mm line with its label."""


def yardstick(middle: Point, colour: Colour = BLACK) -> tuple[Item, ...]:
    """Return a 100 mm line for checking the print. middle: its middle."""
    (x, y) = middle
    ends = (x - 50, x + 50)
    ticks = (rule((end, y - 2), (end, y + 2), colour, 0.3) for end in ends)
    label = Label("100 mm", (x, y - 1.5), 3.5, colour, "middle")
    return (rule((ends[0], y), (ends[1], y), colour, 0.3), *ticks, label)


A4 = (210.0, 297.0)
LETTER = (215.9, 279.4)
MARGIN = 10.0
"""Margin in mm for printers and crop marks."""
MARK = 6.0
GAP = 1.0
NOTE_MM = 4.5
"""Line height of notes."""


def tile(sheet: Sheet, paper: tuple[float, float] = A4, language: str = "en") -> tuple[Sheet, ...]:
    """Return equal tiles by rows, in the orientation that needs fewer."""
    across = min((paper, paper[::-1]), key=lambda each: math.prod(_grid(sheet, each)))
    columns, rows = _grid(sheet, across)
    places = product(range(rows), range(columns))
    return tuple(_page(sheet, across, (columns, rows), column, row, language) for row, column in places)


def _grid(sheet: Sheet, paper: tuple[float, float]) -> tuple[int, int]:
    room = paper[0] - 2 * MARGIN, paper[1] - 2 * MARGIN
    return math.ceil(sheet.width / room[0]), math.ceil(sheet.height / room[1])


def _page(
    sheet: Sheet, paper: tuple[float, float], grid: tuple[int, int], column: int, row: int, language: str
) -> Sheet:
    width, height = sheet.width / grid[0], sheet.height / grid[1]
    x, y = (paper[0] - width) / 2, (paper[1] - height) / 2
    part = Clip(sheet.items, (column * width, row * height, width, height), (x, y))
    name = f"{sheet.name} {row + 1}-{column + 1}"
    text = say(
        "{name}: row {row} of {rows}, sheet {column} of {columns}. Print at 100%, cut at the marks.",
        name=sheet.name,
        row=row + 1,
        rows=grid[1],
        column=column + 1,
        columns=grid[0],
    )
    label = caption(text, (paper[0] / 2, y - 3), width - 2 * GAP, language)
    measure = yardstick((paper[0] / 2, y + height + 6))
    return Sheet(name, *paper, (part, *_crops(x, y, x + width, y + height), label, *measure))


def _crops(left: float, top: float, right: float, bottom: float) -> tuple[Item, ...]:
    marks: list[Item] = []
    for x, out in ((left, -1), (right, 1)):
        marks += [rule((x + out * GAP, y), (x + out * (GAP + MARK), y)) for y in (top, bottom)]
    for y, out in ((top, -1), (bottom, 1)):
        marks += [rule((x, y + out * GAP), (x, y + out * (GAP + MARK))) for x in (left, right)]
    return tuple(marks)


FILE = "referee-text.json"
_ROOM = 4


class OutlineGlyph(msgspec.Struct, frozen=True, array_like=True):
    """A glyph. advance: width. outlines: closed lines as alternating steps right and up, from the baseline's start."""

    advance: int
    outlines: tuple[tuple[int, ...], ...]


class FontFace(msgspec.Struct, frozen=True):
    """A font. units: per line height. traditional: glyphs that differ in zh_Hant."""

    units: int
    glyphs: dict[str, OutlineGlyph]
    traditional: dict[str, OutlineGlyph]


Outline: TypeAlias = tuple[Point, ...]
"""A closed line in line heights from the baseline's start; y down."""


def words(
    text: str,
    at: Point,
    height: float,
    language: str,
    *,
    colour: str = BLACK,
    anchor: Literal["start", "middle"] = "start",
) -> Shape:
    """Return a line of text; `at` is on its baseline. height: of the line; capitals are three quarters."""
    left = at[0] - (_width(text, language) * height / 2 if anchor == "middle" else 0.0)
    outlines: list[Outline] = []
    for char in text:
        wide, drawn = _glyph_outline(char, language)
        outlines += (tuple((left + x * height, at[1] + y * height) for x, y in outline) for outline in drawn)
        left += wide * height
    return Shape(tuple(outlines), colour)


def caption(text: Text, middle: Point, room: float, language: str) -> Shape:
    """Return a line for whoever prints or cuts, at most `room` mm wide. middle: on its baseline."""
    said = translate(text, language)
    return words(said, middle, fit_height(said, room, NOTE_MM, language), language, anchor="middle")


def fit_height(text: str, room: float, height: float, language: str) -> float:
    """Return the line height, at most `height`, at which the text fits `room` mm."""
    return min(height, room / max(0.1, _width(text, language)))


def has(char: str, language: str) -> bool:
    """Return True if the text font has it."""
    return _glyph(char, language) is not None


def _width(text: str, language: str) -> float:
    return sum(_glyph_outline(char, language)[0] for char in text)


@cache
def _face() -> FontFace:
    return read_json(resource("fonts", FILE), FontFace, remedy=AGAIN)


def _glyph(char: str, language: str) -> OutlineGlyph | None:
    face, known = _face(), languages().get(language)
    own = face.traditional.get(char) if known is not None and known.font == "tc" else None
    return own or face.glyphs.get(char)


@lru_cache(maxsize=4096)
def _glyph_outline(char: str, language: str) -> tuple[float, tuple[Outline, ...]]:
    glyph = _glyph(char, language)
    if glyph is None:
        pixel = 1 / fonts.LINE
        runs = _runs(char, language)
        blocks = tuple(box(start * pixel, row * pixel, (end - start) * pixel, pixel) for row, start, end in runs)
        return fonts.width(char, language) * pixel, blocks
    units = _face().units
    outlines = (zip(accumulate(line[::2]), accumulate(line[1::2]), strict=False) for line in glyph.outlines)
    return glyph.advance / units, tuple(tuple((x / units, -y / units) for x, y in line) for line in outlines)


def _runs(text: str, language: str) -> tuple[tuple[int, int, int], ...]:
    canvas = Image.new("1", (fonts.width(text, language) + 2 * _ROOM, fonts.LINE + 2 * _ROOM))
    draw = ImageDraw.Draw(canvas)
    draw.fontmode = "1"
    draw.text((_ROOM, fonts.BASE + _ROOM), text, 1, fonts.font(language), anchor="ls")
    edges = np.diff(np.pad(np.asarray(canvas, dtype=np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    found = (rows - fonts.BASE - _ROOM, starts - _ROOM, ends - _ROOM)
    return tuple(zip(*(each.tolist() for each in found), strict=True))
