"""Divides a screen into pages: status line, body, QR code, prompt or alert.

The display turns the pages. All but a QR code's have the status line. The prompt begins on the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from device.locale import plain, translate
from device.screens import fonts, panels
from device.screens.canvas import SIZES as SPRITES
from device.screens.canvas import Block, Canvas, line
from device.screens.screen import Menu, Screen
from engine.text import Text, list_texts, say
from engine.view import Line

_MARK = 7  # room for the scroll marks at the right
_INDENT = 7  # room for the cursor at the left: an arrow, as moving a lit bar costs half a frame


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
    """Return the unscrolled menu's pixels."""
    room = width - _INDENT - 1
    return fonts.LINE * sum(len(fonts.wrap(translate(item, language), room, language)) for item in menu.items)


def window(
    items: tuple[str, ...], cursor: int, rows: int, room: int, language: str
) -> tuple[list[tuple[str, bool]], int, int]:
    """Return the visible lines, True for the cursor's item, and their items' range, end excluded. Items stay while
    the cursor is among them."""
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
    """Return the last chosen words that fit the status line."""
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


MOST = 3  # lines of a status; the third only for a long name
HEAD = 16  # status line and rule; lines below then lie in two pages of a controller, not three
_BETWEEN = 4


class PanelHead(msgspec.Struct, frozen=True):
    """The status line. left: up to three lines. right: clocks and page. left_out: clocks without room. whole: False if
    cut."""

    left: tuple[str, ...]
    right: str
    left_out: tuple[str, ...] = ()
    whole: bool = True

    @property
    def height(self) -> int:
        return HEAD + (len(self.left) - 1) * fonts.LINE

    def paint(self, canvas: Canvas, number: tuple[int, int]) -> None:
        """Draw it at the top. number: page and page count, for a mark on the rule."""
        n, count = number
        rule = self.height - 2
        canvas.rule(rule)
        if count > 1:
            left, right = canvas.width * (n - 1) // count, canvas.width * n // count
            canvas.box(left, rule - 1, right - left, 2)  # a whole line may be lit below
        y = 1 + min(1, fonts.overhang("".join(self.left)))
        for row, text in enumerate(self.left):
            canvas.text(0, y + row * fonts.LINE, text)
        canvas.text(canvas.width - fonts.width(self.right, canvas.language), y, self.right)


def head(screen: Screen, width: int, language: str) -> PanelHead:
    """Return the status line, dropping clocks and page number for room, in up to three lines."""
    tried = list[PanelHead]()
    for right, left_out in _rights(screen, language):
        tried.append(_beside(screen, right, left_out, width, language))
        if len(tried[-1].left) == 1:
            return tried[-1]
    fewest = min(tried[-2:], key=lambda each: len(each.left))
    if len(fewest.left) <= MOST:
        return fewest
    kept, rest = fewest.left[: MOST - 1], " ".join(fewest.left[MOST - 1 :])
    return PanelHead((*kept, fonts.shorten(rest, width, language)), fewest.right, fewest.left_out, whole=False)


def _beside(screen: Screen, right: str, left_out: tuple[str, ...], width: int, language: str) -> PanelHead:
    room = width - (fonts.width(right, language) + _BETWEEN if right else 0)
    if screen.menu and screen.menu.path:
        return PanelHead(way(screen.menu, room, language), right, left_out)
    status = translate(screen.status, language) if screen.status else ""
    return PanelHead(fonts.wrap(status, room, language) or ("",), right, left_out)


def _rights(screen: Screen, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    own = f"{screen.page[0]}/{screen.page[1]}" if screen.page else ""
    clocks = tuple(plain(clock, language) for clock in screen.clocks)
    running = clocks[screen.running : screen.running + 1]
    others = tuple(clock for n, clock in enumerate(clocks) if n != screen.running)
    yield " ".join((*clocks, own)).rstrip(), ()
    yield " ".join((*running, own)).rstrip(), others
    yield " ".join(running), others
    yield "", clocks


SIDE = 64
"""Side of a QR code's lit square in pixels."""

MODULE = 2
"""Pixels of a module: 0.34 mm on a 0.96" display."""

_GAP = 3
_QUIET = 1
"""Quiet modules around a code; the standard's four aren't needed."""


@lru_cache(maxsize=8)  # redrawn when anything beside it changes
def modules(address: str) -> tuple[bytes, ...]:
    """Return a QR code's rows, one byte per module (1 is dark). Capitals save space."""
    import segno

    head, mark, secret = address.partition("#")
    parts: Any = [part for part in (head, mark, secret) if part]  # each in its shortest mode
    return tuple(bytes(row) for row in segno.make(parts, error="l", micro=False).matrix)


def code_block(address: str, lines: tuple[str, ...]) -> Block:
    """Return a QR code with text beside it."""
    rows = modules(address)
    start = (SIDE - MODULE * len(rows)) // 2

    def paint(canvas: Canvas, y: int) -> None:
        canvas.box(0, y, SIDE, SIDE)
        for down, row in enumerate(rows):
            for across, dark in enumerate(row):
                if dark:
                    canvas.box(start + MODULE * across, y + start + MODULE * down, MODULE, MODULE, ink=0)
        top = y + max(0, (SIDE - len(lines) * fonts.LINE) // 2)
        for number, text in enumerate(lines):
            canvas.text(SIDE + _GAP, top + number * fonts.LINE, text)

    def problems() -> tuple[str, ...]:
        large = len(rows) + 2 * _QUIET > SIDE // MODULE
        tall = len(lines) > SIDE // fonts.LINE
        return (
            *((f"{address} is too long for a code",) if large else ()),
            *(("too much beside a code",) if tall else ()),
        )

    return Block(SIDE, paint, problems)


def beside(width: int) -> int:
    """Return the pixels left beside a QR code."""
    return width - SIDE - _GAP


T = TypeVar("T")

WIDE = 200  # least pixels of a wide display
MENU = 2 * fonts.LINE  # a menu's least height
TURNED = 2  # pages that all show the prompt; of more, only the first, if that saves pages


class PanelPart(msgspec.Struct, frozen=True):
    """A panel's blocks."""

    blocks: tuple[Block, ...]

    @property
    def height(self) -> int:
        return sum(block.height for block in self.blocks)


class Page(msgspec.Struct, frozen=True):
    """One picture. head: pixels of the status line. foot: lines at the bottom."""

    head: int
    blocks: tuple[Block, ...]
    foot: tuple[str, ...]


def foot_height(lines: int) -> int:
    return lines * fonts.LINE


def height_of(page: Page) -> int:
    return page.head + sum(block.height for block in page.blocks) + foot_height(len(page.foot))


def has_head(screen: Screen) -> bool:
    """Return True if the status line has content."""
    return bool(screen.status or screen.clocks or screen.page or (screen.menu and screen.menu.path))


def lay_out(screen: Screen, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    """Return a screen's pages, with the largest pictures that add none."""
    if screen.code is not None:
        return _with_code(screen, screen.code, size, language)
    return _with_pictures(screen, size, language)


def _with_pictures(screen: Screen, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    top = head(screen, size[0], language) if has_head(screen) else None
    if screen.menu:
        return _with_menu(screen, screen.menu, size, language, top)
    largest = SPRITES if size[0] >= WIDE else SPRITES[:-1]
    laid = (_lay_out(screen, size, language, top, picture) for picture in reversed(largest))
    return _with_hints(screen, min(laid, key=len), size, language)


def _with_code(screen: Screen, address: str, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    texts = (text for text in (screen.status, screen.prompt) if text)
    room = beside(size[0])
    lines = tuple(line for text in texts for line in fonts.wrap(translate(text, language), room, language))
    first = Page(0, (code_block(address, lines),), ())
    alone = msgspec.structs.replace(screen, code=None, prompt=None)
    return (first, *(_with_pictures(alone, size, language) if screen.alert else ()))


def _lay_out(
    screen: Screen, size: tuple[int, int], language: str, top: PanelHead | None, picture: int
) -> tuple[Page, ...]:
    width, height = size
    lines = _said_lines(screen, width, language)
    room = height - (top.height if top else 0)
    shown = (*screen.panels, *_clocks_left_out(top))
    body = tuple(PanelPart(panels.blocks(panel, width, language, picture)) for panel in shown)
    feet = _chunks(lines, max(1, room // fonts.LINE))
    repeated = _flow(body, feet, height, height - room, again=len(feet) == 1)
    once = _flow(body, feet, height, height - room, again=False)
    return once if len(repeated) > TURNED and len(once) < len(repeated) else repeated


def _with_menu(
    screen: Screen, menu: Menu, size: tuple[int, int], language: str, top: PanelHead | None
) -> tuple[Page, ...]:
    """Lay out a menu instead of panels, the prompt below on as many pages as needed."""
    width, height = size
    room = height - (top.height if top else 0)
    told = _said_lines(screen, width, language) or _aside(screen, menu, width, room, language)
    feet = _unbroken(_chunks(told, max(1, (room - MENU) // fonts.LINE)))
    block = menu_block(menu, width, room - foot_height(max(map(len, feet))), language)
    return tuple(Page(height - room, (block,), foot) for foot in feet)


def _said_lines(screen: Screen, width: int, language: str) -> tuple[str, ...]:
    text = screen.alert or screen.prompt
    return fonts.wrap(translate(text, language), width - 2, language) if text else ()


def _aside(screen: Screen, menu: Menu, width: int, room: int, language: str) -> tuple[str, ...]:
    told: tuple[str, ...] = ()
    free = room - menu_height(menu, width, language) if screen.hints else 0
    for hint in screen.hints:
        lines = fonts.wrap(translate(hint, language), width - 2, language)
        told += lines if foot_height(len(told) + len(lines)) <= free else ()
    return told


def _clocks_left_out(top: PanelHead | None) -> tuple[Line, ...]:
    if top is None or not top.left_out:
        return ()
    return (Line(say("Clocks: {clocks}", clocks=list_texts(top.left_out))),)


def _chunks(lines: tuple[T, ...], most: int) -> tuple[tuple[T, ...], ...]:
    parts = max(1, -(-len(lines) // most))
    length = max(1, -(-len(lines) // parts))
    return tuple(lines[start : start + length] for start in range(0, len(lines), length)) or ((),)


def _unbroken(parts: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    if len(parts) < 2 or len(parts[-1]) > 1 or len(parts[-2]) < 2:
        return parts
    return (*parts[:-1], (parts[-2][-1], *parts[-1]))


def _flow(
    body: tuple[PanelPart, ...], feet: tuple[tuple[str, ...], ...], height: int, top: int, *, again: bool
) -> tuple[Page, ...]:
    """Fill pages with body and foot, the foot first.

    A panel is split only if it doesn't fit a new page. again: repeat the foot wherever there is room.
    """
    pages = [Page(top, (), foot) for foot in feet]
    bare = Page(top, (), ())
    fresh = Page(top, (), feet[0]) if again else bare
    for blocks in (group for part in body for group in _groups(part, _room(bare, height))):
        needed = sum(block.height for block in blocks)
        if needed <= _room(pages[-1], height):
            pages[-1] = _with(pages[-1], *blocks)
        else:
            page = fresh if needed <= _room(fresh, height) else bare
            # only a status of three lines gives way
            pages.append(_with(page if needed <= _room(page, height) else Page(0, (), ()), *blocks))
    return tuple(page for page in pages if page.blocks or page.foot) or (bare,)


def _groups(part: PanelPart, room: int) -> tuple[tuple[Block, ...], ...]:
    if part.height <= room or not part.blocks:
        return (part.blocks,)
    if all(block.text for block in part.blocks):
        return _chunks(part.blocks, max(1, room // max(block.height for block in part.blocks)))
    return tuple((block,) for block in part.blocks)


def _with_hints(screen: Screen, pages: tuple[Page, ...], size: tuple[int, int], language: str) -> tuple[Page, ...]:
    laid = list(pages)
    for hint in _hints(screen, len(laid)):
        lines = tuple(line(part) for part in fonts.wrap(translate(hint, language), size[0], language))
        needed = sum(block.height for block in lines)
        there = next((n for n, page in enumerate(laid) if needed <= _room(page, size[1])), None)
        if there is not None:
            laid[there] = _with(laid[there], *lines)
    return tuple(laid)


def _hints(screen: Screen, pages: int) -> Iterator[Text]:
    if screen.turns is not None and pages > 1:
        yield screen.turns
    yield from screen.hints


def _with(page: Page, *blocks: Block) -> Page:
    return msgspec.structs.replace(page, blocks=(*page.blocks, *blocks))


def _room(page: Page, height: int) -> int:
    return height - height_of(page)
