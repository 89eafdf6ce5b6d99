"""Draws panels: lines, bars, scores, and boards as pixel blocks in the font of all texts."""

from __future__ import annotations

from collections.abc import Sequence

from device.locale import plain, translate
from device.screens import fonts
from device.screens.canvas import SIZES, Block, Canvas, line, sprite, stack, strong
from engine.text import list_texts, say
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score

_NARROW = 10
"""Narrowest square for a letter, in pixels."""

_FRAME = 14
"""A square's height in pixels: picture and frame."""

_LOW = 10
"""Rows of a line without descenders."""


def glyphs(panel: Glyphs, width: int, language: str, largest: int) -> tuple[Block, ...]:
    """Return labelled pictures, at most `largest` high: in one row if any size fits, else in several."""
    label = translate(panel.label, language)
    if not panel.names:
        return tuple(line(part) for part in fonts.wrap(label, width, language))
    pitches = {size: _pitch(panel, size, language) for size in sorted(SIZES, reverse=True) if size <= largest}
    left = fonts.width(label, language) + _GAP
    for size, pitch in pitches.items():
        if left + pitch * len(panel.names) <= width:
            row = _glyph_row(panel, range(len(panel.names)), size, pitch=pitch, left=left, language=language)
            return (beside(label, row, size),)
    size = next((size for size, pitch in pitches.items() if pitch * len(panel.names) <= width), min(pitches))
    columns = max(1, width // pitches[size])
    rows = [range(start, min(start + columns, len(panel.names))) for start in range(0, len(panel.names), columns)]
    above = tuple(line(part) for part in fonts.wrap(label, width, language))
    below = (_glyph_row(panel, row, size, pitch=pitches[size], left=0, language=language) for row in rows)
    return (*above, *below)


def beside(label: str, block: Block, size: int) -> Block:
    """Return a block with a label at its left, centred on pictures of this size."""

    def paint(canvas: Canvas, y: int) -> None:
        canvas.text(0, y + (size - fonts.LINE) // 2 + 1, label)
        block.paint(canvas, y)

    return Block(block.height, paint, block.problems)


def _pitch(panel: Glyphs, size: int, language: str) -> int:
    return max(size, *(fonts.width(caption, language) for caption in panel.captions), 0) + 2


def _glyph_row(panel: Glyphs, row: Sequence[int], size: int, *, pitch: int, left: int, language: str) -> Block:
    captions = panel.captions and any(panel.captions[i] for i in row if i < len(panel.captions))

    def paint(canvas: Canvas, y: int) -> None:
        for column, index in enumerate(row):
            x = left + column * pitch + (pitch - size) // 2
            marked = index in panel.marked
            if marked:
                canvas.box(x - 1, y - 1, size + 2, size + 2)
            _picture(canvas, x, y, panel.names[index], size, ink=int(not marked))
            caption = panel.captions[index] if index < len(panel.captions) else ""
            canvas.text(x + (size - fonts.width(caption, language)) // 2, y + size + 1, caption)

    def problems() -> tuple[str, ...]:
        return tuple(f"no sprite is called {n!r}" for i in row if (n := panel.names[i]) and sprite(n, size) is None)

    return Block(size + (fonts.LINE if captions else 1), paint, problems)


def _picture(canvas: Canvas, x: int, y: int, name: str, size: int, *, ink: int) -> None:
    if name and not canvas.picture(x, y, name, size, ink):
        canvas.frame(x, y, size, size, ink)
        canvas.text(x + (size - fonts.width(name[0], canvas.language)) // 2, y + (size - fonts.LINE) // 2, name[0], ink)


def ring(panel: Ring, width: int, language: str) -> tuple[Block, ...]:
    """Return a ring cut before sector 1, as labelled rows; lit numbers are inverted, small letters underlined
    capitals."""
    count = len(panel.cells)
    label = tuple(line(part) for part in fonts.wrap(translate(panel.label, language), width, language))
    widest = fonts.width(str(count), language)
    content = max((_wide(cell.upper(), language) for cell in panel.cells), default=0)
    columns = min(count, max(1, width // (widest + content + 1)))
    rows = -(-count // max(columns, 1))
    columns = -(-count // max(rows, 1))
    pitch = width // max(columns, 1)
    parts = (range(start, min(start + columns, count)) for start in range(0, count, columns)) if count else ()
    return (*label, *(_sectors(panel, part, pitch, language) for part in parts))


def _wide(cell: str, language: str) -> int:
    return 11 if cell and sprite(cell, 11) else fonts.width(cell, language)


def _sectors(panel: Ring, row: Sequence[int], pitch: int, language: str) -> Block:
    def paint(canvas: Canvas, y: int) -> None:
        for column, index in enumerate(row):
            x, number, cell = column * pitch, str(index + 1), panel.cells[index]
            wide = fonts.width(number, language)
            lit = index + 1 in panel.lit
            if lit:
                canvas.box(x, y - 1, wide + 1, _LOW + 2)
            canvas.text(x + 1, y, number, ink=int(not lit))
            if cell and not canvas.picture(x + wide + 1, y, cell, 11):
                canvas.text(x + wide + 1, y, cell.upper())
                if cell.islower():
                    canvas.box(x + wide + 1, y + _LOW, fonts.width(cell.upper(), language) - 1, 1)

    def problems() -> tuple[str, ...]:
        room = pitch - fonts.width(str(len(panel.cells)), language) - 1
        shown = sorted({panel.cells[index].upper() for index in row})
        return tuple(f"{cell!r} does not fit in {room} pixels" for cell in shown if _wide(cell, language) > room)

    return Block(fonts.LINE, paint, problems)


def cells(panel: Cells, width: int, language: str) -> tuple[Block, ...]:
    """Return framed squares in few rows, numbered below; without room only the filled ones."""
    count = len(panel.cells)
    label = tuple(line(part) for part in fonts.wrap(translate(panel.label, language), width, language))
    if not count:
        return label
    shown = [plain(cell, language) for cell in panel.cells]
    narrow = not any(_too_wide(shown, _NARROW - 1, language)) and not any(sprite(cell, 11) for cell in shown if cell)
    columns = min(count, (width - 1) // (_NARROW if narrow else 12))
    rows = -(-count // columns)
    columns = -(-count // rows)
    pitch = min((width - 1) // columns, 24)
    numbers = panel.numbers or tuple(str(number + 1) for number in range(count))
    roomy = max(fonts.width(number, language) for number in numbers) + 2 <= pitch
    told = tuple(number if roomy or cell else "" for number, cell in zip(numbers, shown, strict=True))
    parts = (slice(start, start + columns) for start in range(0, count, columns))
    return (*label, *(_strip(shown[part], told[part], pitch, language) for part in parts))


def _too_wide(texts: Sequence[str], pitch: int, language: str) -> tuple[str, ...]:
    return tuple(
        f"{text!r} does not fit in {pitch} pixels"
        for text in sorted(set(texts))
        if text and not (pitch >= 11 and sprite(text, 11)) and fonts.width(text, language) > pitch
    )


def _strip(row: Sequence[str], numbers: Sequence[str], pitch: int, language: str) -> Block:
    def paint(canvas: Canvas, y: int) -> None:
        for column, cell in enumerate(row):
            x, number = column * pitch, numbers[column]
            canvas.frame(x, y, pitch + 1, _FRAME)
            if cell and (pitch < 12 or not canvas.picture(x + (pitch - 10) // 2, y + 1, cell, 11)):
                canvas.text(x + 1 + (pitch - fonts.width(cell, canvas.language)) // 2, y + 2, cell)
            at = x + (pitch + 1 - fonts.width(number, language)) // 2
            canvas.text(min(max(at, 0), canvas.width - fonts.width(number, language)), y + _FRAME, number)

    return Block(_FRAME + _LOW, paint, lambda: _too_wide(row, pitch - 1, language))


_PIP = 7
_TALL = 10  # rows of a pip, a bar, a capital
_SHORT = 20  # the shortest bar beside its label
_GAP = 4  # between a label and its block
_PITCH = _PIP + 2
_PIPS = 5
"""Largest goal drawn as single points."""


def blocks(panel: Panel, width: int, language: str, picture: int) -> tuple[Block, ...]:
    """Return a panel's blocks. width: in pixels. picture: largest picture height."""
    match panel:
        case Line():
            parts = fonts.wrap(translate(panel.text, language), width - 2 * int(panel.strong), language)
            return tuple(strong(part, first=n == 0) if panel.strong else line(part) for n, part in enumerate(parts))
        case Gauge():
            return (gauge(panel, width, language),)
        case Score():
            return score(panel, width, language)
        case Glyphs():
            return glyphs(panel, width, language, picture)
        case Ring():
            return ring(panel, width, language)
        case Cells():
            return cells(panel, width, language)


def gauge(panel: Gauge, width: int, language: str) -> Block:
    """Return label, bar and numbers; the label goes above a short bar."""
    label = translate(panel.label, language)
    numbers = f"{panel.value}/{panel.maximum}"
    right = width - fonts.width(numbers, language)
    left = fonts.width(label, language) + 3
    if right - left < _SHORT:
        over = tuple(line(part) for part in fonts.wrap(label, width, language))
        return stack((*over, _bar(panel, numbers, 0, right)))

    def paint(canvas: Canvas, y: int) -> None:
        canvas.text(0, y, label)
        _bar(panel, numbers, left, right).paint(canvas, y)

    return Block(fonts.LINE, paint)


def _bar(panel: Gauge, numbers: str, left: int, right: int) -> Block:
    length = right - left - 3
    full = 0 if panel.maximum <= 0 else (length - 4) * min(max(panel.value, 0), panel.maximum) // panel.maximum

    def paint(canvas: Canvas, y: int) -> None:
        canvas.frame(left, y, length, _TALL)
        canvas.box(left + 2, y + 2, full, _TALL - 4)
        canvas.text(right, y, numbers)

    return Block(fonts.LINE, paint)


def score(panel: Score, width: int, language: str) -> tuple[Block, ...]:
    """Return names with points: pips for a small goal if one row holds them, else figures."""
    label = translate(panel.label, language)
    entries = tuple((plain(name, language), points) for name, points in panel.entries)
    if panel.to is not None and panel.to <= _PIPS:
        lengths = [fonts.width(name, language) + _GAP + panel.to * _PITCH for name, _ in entries]
        left = fonts.width(label, language) + _GAP
        if left + sum(lengths) + _GAP * (len(lengths) - 1) <= width:
            return (_pips(label, entries, lengths, left, panel.to),)
    figures = list_texts(f"{name} {points}" for name, points in entries)
    # Translators: {label} is what is counted, {figures} each player with a number.
    told = say("{label} {figures}", label=label, figures=figures)
    if panel.to is not None:
        # Translators: {score} is what stands before it; {goal} is the number that wins.
        told = say("{score} of {goal}", score=told, goal=panel.to)
    return tuple(line(part) for part in fonts.wrap(translate(told, language), width, language))


def _pips(label: str, entries: tuple[tuple[str, int], ...], lengths: list[int], left: int, to: int) -> Block:
    def paint(canvas: Canvas, y: int) -> None:
        canvas.text(0, y, label)
        x = left
        for (name, points), length in zip(entries, lengths, strict=True):
            canvas.text(x, y, name)
            start = x + fonts.width(name, canvas.language) + _GAP
            for pip in range(to):
                canvas.pip(start + pip * _PITCH, y, _PIP, _TALL, filled=pip < points)
            x += length + _GAP

    return Block(fonts.LINE, paint)
