"""Draws lines, bars and scores; for boards see `boards`."""

from __future__ import annotations

from device.locale import plain, translate
from device.screens import fonts
from device.screens.boards import cells, glyphs, ring
from device.screens.canvas import Block, Canvas, line, stack, strong
from engine.text import list_texts, say
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score

_PIP = 7
_TALL = 10  # rows of a pip and of a bar, as many as a capital has
_SHORT = 20  # the shortest bar beside its label
_GAP = 4
_PITCH = _PIP + 2
_PIPS = 5
"""Largest goal drawn as single points."""


def blocks(panel: Panel, width: int, language: str, picture: int) -> tuple[Block, ...]:
    """Return a panel's blocks. width: column's pixels. picture: largest picture height."""
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
    """Return names with points: pips for a small goal, or figures."""
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
