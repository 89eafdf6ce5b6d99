"""Text as shapes, in the font of the displays: for every language and format, at any angle."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw

from device.printing.drawing import BLACK, Point, Shape, box
from device.screens import fonts

_ROOM = 4


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
    pixel = height / fonts.LINE
    wide = fonts.width(text, language)
    left = at[0] - (wide * pixel / 2 if anchor == "middle" else 0.0)
    outlines = tuple(
        box(left + start * pixel, at[1] + row * pixel, (end - start) * pixel, pixel)
        for row, start, end in _runs(text, language)
    )
    return Shape(outlines, colour)


def fitted(text: str, room: float, height: float, language: str) -> float:
    """The largest line height, at most `height`, at which the text is no wider than `room` millimetres."""
    return min(height, room / max(1, fonts.width(text, language)) * fonts.LINE)


@lru_cache(maxsize=1024)
def _runs(text: str, language: str) -> tuple[tuple[int, int, int], ...]:
    """Where pixels of a line are lit: row below its baseline, from, and up to but not including."""
    canvas = Image.new("1", (fonts.width(text, language) + 2 * _ROOM, fonts.LINE + 2 * _ROOM))
    draw = ImageDraw.Draw(canvas)
    draw.fontmode = "1"
    draw.text((_ROOM, fonts.BASE + _ROOM), text, 1, fonts.font(language), anchor="ls")
    edges = np.diff(np.pad(np.asarray(canvas, dtype=np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    found = (rows - fonts.BASE - _ROOM, starts - _ROOM, ends - _ROOM)
    return tuple(zip(*(each.tolist() for each in found), strict=True))
