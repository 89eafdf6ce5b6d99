"""A menu as a block: as many items around the cursor as there is room for."""

from __future__ import annotations

from device.locale import translate
from device.screens import fonts
from device.screens.canvas import Block, Canvas
from device.screens.screen import Menu

_MARK = 7  # room for the scroll marks at the right
_BETWEEN = ":,：，、"  # between the words of an action
_INDENT = 7  # room for the cursor at the left: an arrow, since moving a lit bar would cost half a frame


def menu_block(menu: Menu, width: int, height: int, language: str) -> Block:
    """The menu in a box of that size. The item under the cursor is wrapped if it is long, the others are shortened."""
    items = tuple(translate(item, language) for item in menu.items)
    rows = max(1, height // fonts.LINE)
    room = width - _INDENT - (_MARK if len(items) > rows else 1)
    lines, first, last = window(items, menu.cursor, rows, room, language)
    cursor = next((number for number, (_, chosen) in enumerate(lines) if chosen), None)

    def paint(canvas: Canvas, y: int) -> None:
        for number, (text, _) in enumerate(lines):
            canvas.text(_INDENT, y + number * fonts.LINE, text)
        if cursor is not None:
            canvas.arrow(0, y + cursor * fonts.LINE + 2)
        if first > 0:
            canvas.triangle(width - 5, y + 2, up=True)
        if last < len(items):
            canvas.triangle(width - 5, y + rows * fonts.LINE - 5, up=False)

    return Block(rows * fonts.LINE, paint, lambda: _problems(items, rows, room, language))


def window(
    items: tuple[str, ...], cursor: int, rows: int, room: int, language: str
) -> tuple[list[tuple[str, bool]], int, int]:
    """The lines to show with whether they belong to the cursor's item, and the range of items they come from.

    The list turns like a page: while the cursor stays among the items shown, they stay where they are.
    """
    if not items:
        return [], 0, 0
    cursor = min(max(cursor, 0), len(items) - 1)
    chosen = list(fonts.wrap(items[cursor], room, language))[:rows]
    first = cursor // rows * rows
    shown = shortened(items, room, language)[first : first + rows]
    lines: list[tuple[str, bool]] = []
    for index, text in enumerate(shown, first):
        lines += [(part, True) for part in chosen] if index == cursor else [(text, False)]
    above = max(0, cursor - first + len(chosen) - rows)  # a long item low down pushes the ones above it out
    return lines[above : above + rows], first + above, min(len(items), first + above + rows - len(chosen) + 1)


def shortened(items: tuple[str, ...], room: int, language: str) -> list[str]:
    """Each item in one line. Those that would look alike without their ends lose what they have in common instead."""
    short = [fonts.shorten(item, room, language) for item in items]
    alike = {text: [item for item, cut in zip(items, short, strict=True) if cut == text] for text in short}
    return [
        text if len(alike[text]) == 1 else _apart(item, alike[text], room, language)
        for item, text in zip(items, short, strict=True)
    ]


def _apart(item: str, alike: list[str], room: int, language: str) -> str:
    same = next((n for n, letters in enumerate(zip(*alike, strict=False)) if len(set(letters)) > 1), 0)
    start = max(item.rfind(mark, 0, same) for mark in _BETWEEN) + 1
    head, tail = item[:start], fonts.ellipsis(language) + item[start:].lstrip()
    while head and fonts.width(head + tail, language) > room:
        head = head[:-1]
    return fonts.shorten(head.rstrip() + tail, room, language)


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
    short = shortened(items, room, language)
    alike = [f"menu items look alike: {text!r}" for text in sorted(set(short)) if short.count(text) > 1]
    return (*tall, *alike)
