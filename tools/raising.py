"""Raises the letters and figures of the displays' font by a row of pixels: on a display of 0.96 inch, whose pixels lie
0.17 mm apart, capitals of 9 rows are 1.53 mm high, and those of 10 are 1.7.

Ideographs fill their square as they are, and so do capitals with accents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fontTools.pens.recordingPen import RecordingPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTFont

PIXEL = 100
"""Units of the font in a pixel."""

CAPITAL = 9
"""Rows of a capital above the baseline, as the font draws them."""

SMALL = 6
"""Rows of a small letter without ascender. What stands above them, and no part of it below, is raised."""

RAISED = frozenset("0123456789!#%&?£¥©ÆÐÞß№bdfhklt$()/[]{|}") | {
    chr(code) for first, last in ((0x41, 0x5A), (0x410, 0x42F)) for code in range(first, last + 1) if code != 0x419
}
"""The characters that are a row too low: figures, capitals without accents, small letters with ascenders. Brackets
are raised with them where they are as low."""

Steps = list[tuple[str, tuple[tuple[int, int], ...]]]


def raise_letters(font: TTFont) -> None:
    """Raises every such character of a font by a row, in place."""
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    table = font["CFF "].cff[0]
    for char in sorted(RAISED):
        name = names.get(ord(char))
        if name is None:
            continue
        pen = RecordingPen()
        glyphs[name].draw(pen)
        if _top(pen.value) == CAPITAL * PIXEL:
            old = table.CharStrings[name]
            table.CharStrings[name] = _draw_glyph(_double_row(pen.value, char), old, glyphs[name].width)


def _top(steps: Steps) -> int:
    return max((y for _, points in steps for _, y in points), default=0)


def _double_row(steps: Steps, char: str) -> Steps:
    """The outline with one row twice."""
    above = (_row(steps, char) + 1) * PIXEL
    return [(step, tuple((x, y + PIXEL * (y >= above)) for x, y in points)) for step, points in steps]


def _row(steps: Steps, char: str) -> int:
    """The row to draw twice: of those that look like the next one the nearest to the middle, above the small letters'
    height if it is one of them; else of those without a bar."""
    lowest, middle = (SMALL, CAPITAL - 1) if char.islower() else (0, (CAPITAL - 2) // 2)
    rows = range(lowest, CAPITAL)
    same = [row for row in rows[:-1] if list(_ink(steps, row)) == list(_ink(steps, row + 1))]
    if same:
        return min(same, key=lambda row: abs(row - middle))
    return min(rows, key=lambda row: (max(b - a for a, b in _ink(steps, row)), abs(row - middle)))


def _ink(steps: Steps, row: int) -> Iterator[tuple[int, int]]:
    """From where to where a row is black; pixels that touch are one stretch."""
    middle, edges, last, first = row * PIXEL + PIXEL // 2, [], (0, 0), (0, 0)
    for step, points in steps:
        target = first if step == "closePath" else points[0] if points else last
        if step != "moveTo" and min(last[1], target[1]) < middle < max(last[1], target[1]):
            edges.append(last[0])
        first = target if step == "moveTo" else first
        last = target
    pairs = sorted(edges)
    stretches: list[tuple[int, int]] = []
    for a, b in zip(pairs[::2], pairs[1::2], strict=True):
        if stretches and stretches[-1][1] == a:
            stretches[-1] = (stretches[-1][0], b)
        else:
            stretches.append((a, b))
    yield from stretches


def _draw_glyph(steps: Steps, old: Any, width: int) -> Any:
    """The outline as a glyph's program, with the advance it had."""
    private = old.private
    usual = getattr(private, "defaultWidthX", 0)
    pen = T2CharStringPen(None if width == usual else width - getattr(private, "nominalWidthX", 0), {})
    for step, points in steps:
        getattr(pen, step)(*points)
    return pen.getCharString(private=private, globalSubrs=old.globalSubrs)
