"""A menu as a block: as many items around the cursor as there is room for."""

from __future__ import annotations

from device.locale import translate
from device.screens import fonts
from device.screens.canvas import Block, Canvas
from device.screens.screen import Menu

_MARK = 7  # room for the scroll marks at the right
_INDENT = 7  # room for the cursor at the left: an arrow, since moving a lit bar would cost half a frame


def menu_block(menu: Menu, width: int, height: int, language: str) -> Block:
    """The menu in a box of that size. Every item is wrapped if it is long."""
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
    """Pixels of the whole menu without scrolling."""
    room = width - _INDENT - 1
    return fonts.LINE * sum(len(fonts.wrap(translate(item, language), room, language)) for item in menu.items)


def window(
    items: tuple[str, ...], cursor: int, rows: int, room: int, language: str
) -> tuple[list[tuple[str, bool]], int, int]:
    """The lines to show with whether they belong to the cursor's item, and the range of items they come from.

    The list turns like a page: while the cursor stays among the items shown, they stay where they are.
    """
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
    """Return the words chosen so far for the status line: as many of the last as fit whole, or the very last in as many
    lines as it takes."""
    words = [translate(word, language) for word in menu.path]
    for start in range(len(words)):
        path = " » ".join(words[start:]) + " »"
        if fonts.width(path, language) <= room:
            return (path,)
    return fonts.wrap(f"{words[-1]} »", room, language)


def _problems(items: tuple[str, ...], rows: int, room: int, language: str) -> tuple[str, ...]:
    """An item that even its own wrapping cannot show whole, or two that look alike."""
    tall = [f"menu item {item!r} is too long" for item in items if len(fonts.wrap(item, room, language)) > rows]
    alike = [f"menu items look alike: {text!r}" for text in sorted(set(items)) if items.count(text) > 1]
    return (*tall, *alike)
