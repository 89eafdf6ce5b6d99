"""Panels as blocks of pixels: lines, bars and scores. Boards (glyphs, rings, strips) are in `boards`."""

from __future__ import annotations

from device.locale import plain, translate
from device.screens import fonts
from device.screens.boards import cells, glyphs, ring
from device.screens.canvas import Block, Canvas, line, stack, strong
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score

_PIP = 7
_BAR = 8
_SHORT = 20  # the shortest bar beside its label
_GAP = 10
NAME = -1  # in place of points: a name, or what wins, alone


def blocks(panel: Panel, width: int, language: str, picture: int) -> tuple[Block, ...]:
    """A panel as blocks in a column `width` pixels wide, with pictures at most `picture` pixels high."""
    match panel:
        case Line():
            make = strong if panel.strong else line
            room = width - 2 if panel.strong else width
            return tuple(make(part) for part in fonts.wrap(translate(panel.text, language), room, language))
        case Gauge():
            return (gauge(panel, width, language),)
        case Score():
            return score(panel, width, language)
        case Glyphs():
            return glyphs(panel, width, language, picture)
        case Ring():
            return (ring(panel, width, language),)
        case Cells():
            return cells(panel, width, language)


def gauge(panel: Gauge, width: int, language: str) -> Block:
    """Label, bar and numbers; the label stands above if it leaves the bar no room."""
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
        canvas.frame(left, y + 2, length, _BAR)
        canvas.box(left + 2, y + 4, full, _BAR - 4)
        canvas.text(right, y, numbers)

    return Block(fonts.LINE, paint)


def score(panel: Score, width: int, language: str) -> tuple[Block, ...]:
    """Each name with its points, as many to a line as fit: pips up to a small goal, else figures. A name that leaves
    its points no room stands above them."""
    pips = panel.to if panel.to is not None and panel.to <= 5 else None
    rows: list[list[tuple[int, str, int]]] = [[]]
    x = 0
    for each, points in panel.entries:
        *above, name = _beside_points(plain(each, language), points, pips, width, language)
        length = _points_width(name, points, pips, language)
        if rows[-1] and (x + length > width or above):
            rows.append([])
            x = 0
        for part in above:
            rows[-1:] = [[(0, part, NAME)], []]
        rows[-1].append((x, name, points))
        x += length + _GAP
    if panel.to is not None and pips is None:
        goal = f"→ {panel.to}"
        if x + fonts.width(goal, language) > width:
            rows.append([])
            x = 0
        rows[-1].append((x, goal, NAME))
    return tuple(_score_row(tuple(row), pips) for row in rows)


def _beside_points(name: str, points: int, pips: int | None, width: int, language: str) -> tuple[str, ...]:
    """A name in lines, the last of which has room for its points."""
    if _points_width(name, points, pips, language) <= width:
        return (name,)
    return fonts.wrap(name, width - _points_width("", points, pips, language), language)


def _points_width(name: str, points: int, pips: int | None, language: str) -> int:
    shown = fonts.width(f" {points}", language) if pips is None else 4 + pips * (_PIP + 2)
    return fonts.width(name, language) + shown


def _score_row(row: tuple[tuple[int, str, int], ...], pips: int | None) -> Block:
    def paint(canvas: Canvas, y: int) -> None:
        for x, name, points in row:
            if pips is None or points == NAME:
                canvas.text(x, y, name if points == NAME else f"{name} {points}")
                continue
            canvas.text(x, y, name)
            start = x + fonts.width(name, canvas.language) + 4
            for pip in range(pips):
                canvas.disc(start + pip * (_PIP + 2), y + 3, _PIP, filled=pip < points)

    return Block(fonts.LINE, paint)
