"""A menu as a block: as many items around the cursor as there is room for."""

from __future__ import annotations

from device.locale import translate
from device.screens import fonts
from device.screens.canvas import Block, Canvas
from device.screens.screen import Menu

_MARK = 7  # room for the scroll marks at the right
_INDENT = 4


def menu_block(menu: Menu, width: int, height: int, language: str) -> Block:
    """The menu in a box of that size. The item under the cursor is wrapped if it is long, the others are shortened."""
    items = tuple(translate(item, language) for item in menu.items)
    rows = max(1, height // fonts.LINE)
    room = width - _INDENT - (_MARK if len(items) > rows else 1)
    lines, first, last = window(items, menu.cursor, rows, room, language)

    def paint(canvas: Canvas, y: int) -> None:
        for number, (text, chosen) in enumerate(lines):
            at = y + number * fonts.LINE
            if chosen:
                canvas.box(0, at, _INDENT + room, fonts.LINE)
            canvas.text(_INDENT, at, text, ink=int(not chosen))
        if first > 0:
            canvas.triangle(width - 5, y + 2, up=True)
        if last < len(items):
            canvas.triangle(width - 5, y + rows * fonts.LINE - 5, up=False)

    return Block(rows * fonts.LINE, paint, _problems(items, rows, room, language))


def window(
    items: tuple[str, ...], cursor: int, rows: int, room: int, language: str
) -> tuple[list[tuple[str, bool]], int, int]:
    """The lines to show with whether they belong to the cursor's item, and the range of items they come from."""
    if not items:
        return [], 0, 0
    cursor = min(max(cursor, 0), len(items) - 1)
    chosen = list(fonts.wrap(items[cursor], room, language))[:rows]
    others = rows - len(chosen)
    first = min(max(0, cursor - others // 2), max(0, len(items) - 1 - others))
    last = min(len(items), first + others + 1)
    lines: list[tuple[str, bool]] = []
    for index in range(first, last):
        if index == cursor:
            lines += [(part, True) for part in chosen]
        else:
            lines.append((fonts.shorten(items[index], room, language), False))
    return lines, first, last


def way(menu: Menu, room: int, language: str) -> str:
    """What was chosen on the way here, for the status line: the end of it, with an ellipsis for what came before."""
    path = " » ".join(translate(word, language) for word in menu.path) + " »"
    if fonts.width(path, language) <= room:
        return path
    dots = fonts.ellipsis(language)
    while path and fonts.width(dots + path, language) > room:
        path = path[1:]
    return dots + path.lstrip()


def _problems(items: tuple[str, ...], rows: int, room: int, language: str) -> tuple[str, ...]:
    """An item that even its own wrapping cannot show whole, or two that look alike once they are shortened."""
    tall = [f"menu item {item!r} is too long" for item in items if len(fonts.wrap(item, room, language)) > rows]
    short = [fonts.shorten(item, room, language) for item in items]
    alike = [f"menu items look alike: {text!r}" for text in sorted(set(short)) if short.count(text) > 1]
    return (*tall, *alike)
