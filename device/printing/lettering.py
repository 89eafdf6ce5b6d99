"""Draws text as outlines for every language and format.

Uses Noto Sans (config/fonts/referee-text.json), or the displays' font for missing characters.
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
    """Return a line of text; `at` is on its baseline, `height` in mm (capitals are three quarters)."""
    left = at[0] - (_width(text, language) * height / 2 if anchor == "middle" else 0.0)
    outlines: list[Outline] = []
    for char in text:
        wide, drawn = _glyph_outline(char, language)
        outlines += (tuple((left + x * height, at[1] + y * height) for x, y in outline) for outline in drawn)
        left += wide * height
    return Shape(tuple(outlines), colour)


def fit_height(text: str, room: float, height: float, language: str) -> float:
    """Return the line height, at most `height`, at which the text fits `room` mm."""
    return min(height, room / max(0.1, _width(text, language)))


def has(char: str, language: str) -> bool:
    """Return True if the text font has this character."""
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
