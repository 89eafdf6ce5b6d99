"""Draws a menu: the items around the cursor that fit."""

from __future__ import annotations

from device.locale import translate
from device.screens import fonts
from device.screens.canvas import Block, Canvas
from device.screens.screen import Menu

_MARK = 7  # room for the scroll marks at the right
_INDENT = 7  # room for the cursor at the left: an arrow, since moving a lit bar would cost half a frame


def menu_block(menu: Menu, width: int, height: int, language: str) -> Block:
    """Return the menu in a box of this size, long items wrapped."""
    items = tuple(translate(item, language) for item in menu.items)
    rows = max(1, height // fonts.LINE)
    room = width - _INDENT - 1
    if sum(len(fonts.wrap(item, room, language)) for item in items) > rows:
        room = width - _INDENT - _MARK
    lines, first, last = window(items, menu.cursor, rows, room, language)
    cursor = next((number for number, (_, chosen) in enumerate(lines) if chosen), None)

    def paint(canvas: Canvas, y: int) -> None:
        for number, (text, _) in enumerate(lines):
            canvas.text(_INDENT, y + number * fonts.LINE, text)
        if cursor is not None:
            canvas.arrow(0, y + cursor * fonts.LINE)
        if first > 0:
            canvas.more(width - 5, y + 1, up=True)
        if last < len(items):
            canvas.more(width - 5, y + (rows - 1) * fonts.LINE + 1, up=False)

    return Block(rows * fonts.LINE, paint, lambda: _problems(items, rows, room, language))


def menu_height(menu: Menu, width: int, language: str) -> int:
    """Return the whole menu's pixels without scrolling."""
    room = width - _INDENT - 1
    return fonts.LINE * sum(len(fonts.wrap(translate(item, language), room, language)) for item in menu.items)


def window(
    items: tuple[str, ...], cursor: int, rows: int, room: int, language: str
) -> tuple[list[tuple[str, bool]], int, int]:
    """Return the visible lines, True for the cursor's item, and their range of items. Items stay in place while the
    cursor is among them."""
    if not items:
        return [], 0, 0
    cursor = min(max(cursor, 0), len(items) - 1)
    wrapped = [fonts.wrap(item, room, language)[:rows] or ("",) for item in items]
    first, used = 0, 0
    for index, lines in enumerate(wrapped[: cursor + 1]):
        if used + len(lines) > rows:
            first, used = index, 0
        used += len(lines)
    last = first
    shown: list[tuple[str, bool]] = []
    while last < len(items) and len(shown) + len(wrapped[last]) <= rows:
        shown += [(line, last == cursor) for line in wrapped[last]]
        last += 1
    return shown, first, last


def way(menu: Menu, room: int, language: str) -> tuple[str, ...]:
    """Return the last chosen words that fit, for the status line."""
    words = [translate(word, language) for word in menu.path]
    for start in range(len(words)):
        path = " » ".join(words[start:]) + " »"
        if fonts.width(path, language) <= room:
            return (path,)
    return fonts.wrap(f"{words[-1]} »", room, language)


def _problems(items: tuple[str, ...], rows: int, room: int, language: str) -> tuple[str, ...]:
    tall = [f"menu item {item!r} is too long" for item in items if len(fonts.wrap(item, room, language)) > rows]
    alike = [f"menu items look alike: {text!r}" for text in sorted(set(items)) if items.count(text) > 1]
    return (*tall, *alike)
