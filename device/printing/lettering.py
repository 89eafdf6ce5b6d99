"""Text as shapes, in the font of the displays: for every language and format, at any angle."""

from __future__ import annotations

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
    bits = _bits(text, wide, language)
    outlines: list[tuple[Point, ...]] = []
    for row, line in enumerate(bits):
        y = at[1] + (row - fonts.BASE - _ROOM) * pixel
        for start, end in _runs(line):
            outlines.append(box(left + (start - _ROOM) * pixel, y, (end - start) * pixel, pixel))
    return Shape(tuple(outlines), colour)


def fitted(text: str, room: float, height: float, language: str) -> float:
    """The largest line height, at most `height`, at which the text is no wider than `room` millimetres."""
    return min(height, room / max(1, fonts.width(text, language)) * fonts.LINE)


def _bits(text: str, wide: int, language: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """The pixels of a line, with room about it."""
    canvas = Image.new("1", (wide + 2 * _ROOM, fonts.LINE + 2 * _ROOM))
    draw = ImageDraw.Draw(canvas)
    draw.fontmode = "1"
    draw.text((_ROOM, fonts.BASE + _ROOM), text, 1, fonts.font(language), anchor="ls")
    return np.asarray(canvas, dtype=np.bool_)


def _runs(line: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Where pixels are lit: from, and up to but not including."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
