"""Text as shapes, in a text face: for every language and format, at any angle.

Noto Sans, as outlines of what sheets say (config/fonts/referee-text.json); a character that it lacks stands there in
the font of the displays.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import accumulate
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from PIL import Image, ImageDraw

from device.locale import languages
from device.printing.drawing import BLACK, Point, Shape, box
from device.resources import AGAIN, resource
from device.screens import fonts
from vision.files import read_json

FILE = "referee-text.json"
_ROOM = 4


class OutlineGlyph(msgspec.Struct, frozen=True, array_like=True):
    """advance: to the next glyph. outlines: closed lines, filled by the even-odd rule: each is a row of steps right and
    up, right and up, the first one from the start of the baseline."""

    advance: int
    outlines: tuple[tuple[int, ...], ...]


class FontFace(msgspec.Struct, frozen=True):
    """units: of the glyphs' numbers in a line's height. traditional: characters that zh_Hant draws otherwise."""

    units: int
    glyphs: dict[str, OutlineGlyph]
    traditional: dict[str, OutlineGlyph]


Outline: TypeAlias = tuple[Point, ...]
"""A closed line in lines' heights, from a baseline's start; y down."""


def words(
    text: str,
    at: Point,
    height: float,
    language: str,
    *,
    colour: str = BLACK,
    anchor: Literal["start", "middle"] = "start",
) -> Shape:
    """One line; `at` is on its baseline, `height` that of a line in millimetres (capitals are three quarters of it)."""
    left = at[0] - (_width(text, language) * height / 2 if anchor == "middle" else 0.0)
    outlines: list[Outline] = []
    for char in text:
        wide, drawn = _glyph_outline(char, language)
        outlines += (tuple((left + x * height, at[1] + y * height) for x, y in outline) for outline in drawn)
        left += wide * height
    return Shape(tuple(outlines), colour)


def fit_height(text: str, room: float, height: float, language: str) -> float:
    """The largest line height, at most `height`, at which the text is no wider than `room` millimetres."""
    return min(height, room / max(0.1, _width(text, language)))


def has(char: str, language: str) -> bool:
    """True if the text face has a glyph for a character."""
    return _glyph(char, language) is not None


def _width(text: str, language: str) -> float:
    """Return the width of a line, in lines' heights."""
    return sum(_glyph_outline(char, language)[0] for char in text)


@cache
def _face() -> FontFace:
    """Raises ResourceMissing or BadFile."""
    return read_json(resource("fonts", FILE), FontFace, remedy=AGAIN)


def _glyph(char: str, language: str) -> OutlineGlyph | None:
    face, known = _face(), languages().get(language)
    own = face.traditional.get(char) if known is not None and known.font == "tc" else None
    return own or face.glyphs.get(char)


@lru_cache(maxsize=4096)
def _glyph_outline(char: str, language: str) -> tuple[float, tuple[Outline, ...]]:
    """The width of a character, and its outlines."""
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
    """Return the lit pixels of a line as runs: row below its baseline, start, end (exclusive)."""
    canvas = Image.new("1", (fonts.width(text, language) + 2 * _ROOM, fonts.LINE + 2 * _ROOM))
    draw = ImageDraw.Draw(canvas)
    draw.fontmode = "1"
    draw.text((_ROOM, fonts.BASE + _ROOM), text, 1, fonts.font(language), anchor="ls")
    edges = np.diff(np.pad(np.asarray(canvas, dtype=np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    found = (rows - fonts.BASE - _ROOM, starts - _ROOM, ends - _ROOM)
    return tuple(zip(*(each.tolist() for each in found), strict=True))
