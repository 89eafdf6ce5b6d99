"""Boards as blocks of pixels: rows of glyphs, rings of sectors, strips of squares."""

from __future__ import annotations

from collections.abc import Sequence

from device.locale import plain
from device.screens import fonts
from device.screens.canvas import Block, Canvas, small_width
from device.screens.sprites import SIZES, sprite, tiny
from engine.view import Cells, Glyphs, Ring

_SMALL = 6  # a row of small letters with a pixel of air
NARROW = 10  # the narrowest square for a letter


def glyphs(panel: Glyphs, width: int, language: str, largest: int) -> tuple[Block, ...]:
    """Pictures in the largest size at which the row fits; in several rows if it fits in none."""
    if not panel.names:
        return ()
    small = all(set(caption.upper()) <= tiny().keys() for caption in panel.captions)
    pitches = {size: _pitch(panel, size, small, language) for size in sorted(SIZES, reverse=True)}
    fitting = [size for size, pitch in pitches.items() if size <= largest and pitch * len(panel.names) <= width]
    size = fitting[0] if fitting else 11
    columns = max(1, width // pitches[size])
    rows = [range(start, min(start + columns, len(panel.names))) for start in range(0, len(panel.names), columns)]
    return tuple(_glyph_row(panel, row, size, pitch=pitches[size], small=small, language=language) for row in rows)


def _pitch(panel: Glyphs, size: int, small: bool, language: str) -> int:
    widest = max(
        (small_width(caption) if small else fonts.width(caption, language) for caption in panel.captions), default=0
    )
    return max(size + 2, widest + 2)


def _glyph_row(panel: Glyphs, row: Sequence[int], size: int, *, pitch: int, small: bool, language: str) -> Block:
    captions = panel.captions and any(panel.captions[i] for i in row if i < len(panel.captions))

    def paint(canvas: Canvas, y: int) -> None:
        for column, index in enumerate(row):
            x = column * pitch + (pitch - size) // 2
            marked = index in panel.marked
            if marked:
                canvas.box(x - 1, y - 1, size + 2, size + 2)
            _picture(canvas, x, y, panel.names[index], size, ink=int(not marked))
            caption = panel.captions[index] if index < len(panel.captions) else ""
            if small:
                canvas.small(x + (size - small_width(caption)) // 2, y + size + 1, caption)
            else:
                canvas.text(x + (size - fonts.width(caption, language)) // 2, y + size + 1, caption)

    def problems() -> tuple[str, ...]:
        return tuple(f"no sprite is called {n!r}" for i in row if (n := panel.names[i]) and sprite(n, size) is None)

    return Block(size + 1 + (0 if not captions else _SMALL if small else fonts.LINE), paint, problems)


def _picture(canvas: Canvas, x: int, y: int, name: str, size: int, *, ink: int) -> None:
    """A sprite; for a name without one, its first letter in a frame."""
    if name and not canvas.picture(x, y, name, size, ink):
        canvas.frame(x, y, size, size, ink)
        canvas.text(x + (size - fonts.width(name[0], canvas.language)) // 2, y + (size - fonts.LINE) // 2, name[0], ink)


def ring(panel: Ring, width: int, language: str) -> Block:
    """The circle as a race track: the first half of the sectors from left to right above, the rest back below.

    The numbers run along the outside, on a lit band where the arc is lit; marks stand in the middle.
    """
    count = len(panel.cells)
    half = (count + 1) // 2
    pitch = width // max(half, 1)
    marks: dict[int, str] = {}
    for sector, player in panel.marks:
        marks[sector] = marks.get(sector, "") + plain(player, language)
    lane = _SMALL if marks else 1
    below = _SMALL + 12 + 2 * lane

    def paint(canvas: Canvas, y: int) -> None:
        for index, cell in enumerate(panel.cells):
            top = index < half
            x = (index if top else count - 1 - index) * pitch
            _number(canvas, x, y if top else y + below + 12, pitch, str(index + 1), lit=index + 1 in panel.lit)
            _cell(canvas, x, y + _SMALL if top else y + below, pitch, cell)
            mark = marks.get(index + 1, "")
            at = max(0, x + (pitch - small_width(mark)) // 2)
            canvas.small(at, y + _SMALL + 13 if top else y + below - lane, mark)

    def problems() -> tuple[str, ...]:
        wide = (sector for sector, mark in marks.items() if small_width(mark) > pitch + 2)
        crowded = tuple(f"sector {sector}: marks {marks[sector]!r} are too wide" for sector in wide)
        return crowded + _too_wide(panel.cells, pitch, language)

    return Block(below + 12 + _SMALL, paint, problems)


def _number(canvas: Canvas, x: int, y: int, pitch: int, text: str, *, lit: bool) -> None:
    if lit:
        canvas.box(x, y, pitch, _SMALL)
    canvas.small(x + (pitch - small_width(text)) // 2, y + 1, text, ink=int(not lit))


def _cell(canvas: Canvas, x: int, y: int, pitch: int, cell: str) -> None:
    if not cell:
        canvas.box(x + pitch // 2, y + 6, 1, 1)
    elif pitch < 11 or not canvas.picture(x + (pitch - 11) // 2, y, cell, 11):
        canvas.text(x + (pitch - fonts.width(cell, canvas.language)) // 2, y, cell)


def _too_wide(texts: Sequence[str], pitch: int, language: str) -> tuple[str, ...]:
    return tuple(
        f"{text!r} does not fit in {pitch} pixels"
        for text in sorted(set(texts))
        if text and not (pitch >= 11 and sprite(text, 11)) and fonts.width(text, language) > pitch
    )


def cells(panel: Cells, width: int, language: str) -> tuple[Block, ...]:
    """Framed squares in one row if what stands on them has room there, else in as many rows as it takes."""
    count = len(panel.cells)
    if not count:
        return ()
    shown = [plain(cell, language) for cell in panel.cells]
    narrow = not any(_too_wide(shown, NARROW - 1, language)) and not any(sprite(cell, 11) for cell in shown if cell)
    columns = min(count, (width - 1) // (NARROW if narrow else 12))
    rows = -(-count // columns)
    columns = -(-count // rows)
    pitch = min((width - 1) // columns, 24)
    numbers = panel.numbers or tuple(str(number + 1) for number in range(count))
    parts = (slice(start, start + columns) for start in range(0, count, columns))
    return tuple(_strip(shown[part], numbers[part], pitch, language) for part in parts)


def _strip(row: Sequence[str], numbers: Sequence[str], pitch: int, language: str) -> Block:
    def paint(canvas: Canvas, y: int) -> None:
        for column, cell in enumerate(row):
            x = column * pitch
            canvas.frame(x, y, pitch + 1, 15)
            if cell and (pitch < 12 or not canvas.picture(x + (pitch - 10) // 2, y + 2, cell, 11)):
                canvas.text(x + 1 + (pitch - fonts.width(cell, canvas.language)) // 2, y + 2, cell)
            _number(canvas, x, y + 15, pitch, numbers[column], lit=False)

    return Block(15 + _SMALL, paint, lambda: _too_wide(row, pitch - 1, language))
