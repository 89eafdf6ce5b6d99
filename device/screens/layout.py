"""Dividing a screen into pages: the status above, the body, the prompt or alert below.

Nothing is clipped: what does not fit beside the rest moves on to the next page, and the display turns the pages.
"""

from __future__ import annotations

import msgspec

from device.locale import translate
from device.screens import fonts, panels
from device.screens.canvas import Block
from device.screens.heads import head
from device.screens.menus import menu_block
from device.screens.screen import Screen
from device.screens.sprites import SIZES as SPRITES

WIDE = 200  # pixels from which on a display counts as wide
MENU = 2 * fonts.LINE  # a menu shows two lines at least
BESIDE = 23  # what a prompt leaves for the first block: a row of numbered glyphs beside two lines


Panel = tuple[Block, ...]


class Page(msgspec.Struct, frozen=True):
    """One picture: pixels of the status line (0: left out), blocks of the body, lines at the foot."""

    head: int
    blocks: tuple[Block, ...]
    foot: tuple[str, ...]


def foot_height(lines: int) -> int:
    """Pixels that lines at the foot take below a body, with the rule between."""
    return lines * fonts.LINE + 1 if lines else 0


def height_of(page: Page) -> int:
    """Pixels that a page takes. Without a body the foot needs no rule."""
    foot = foot_height(len(page.foot)) if page.blocks else len(page.foot) * fonts.LINE
    return page.head + sum(block.height for block in page.blocks) + foot


def has_head(screen: Screen) -> bool:
    """True if there is anything for the status line."""
    return bool(screen.status or screen.clocks or screen.page or (screen.menu and screen.menu.path))


def lay_out(screen: Screen, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    """The pages of a screen, at least one; on a wide display with the largest pictures, if all has room beside them."""
    small = _lay_out(screen, size, language, SPRITES[-2])
    large = _lay_out(screen, size, language, SPRITES[-1]) if size[0] >= WIDE else small
    return large if len(large) == 1 and large[0].head == small[0].head else small


def _lay_out(screen: Screen, size: tuple[int, int], language: str, picture: int) -> tuple[Page, ...]:
    width, height = size
    text = screen.alert or screen.prompt
    lines = fonts.wrap(translate(text, language), width - 2, language) if text else ()
    body = () if screen.menu else tuple(panels.blocks(panel, width, language, picture) for panel in screen.panels)
    least = MENU if screen.menu else min(_first(body), BESIDE)
    top = head(screen, width, language).height if has_head(screen) else 0
    feet = _chunks(lines, max(1, (height - top - least - bool(least)) // fonts.LINE))
    if screen.menu:
        rest = height - top - foot_height(max(map(len, feet)))
        block = menu_block(screen.menu, width, rest, language)
        return tuple(Page(top, (block,), foot) for foot in feet)
    return _flow(body, feet, height, top)


def _first(body: tuple[Panel, ...]) -> int:
    return body[0][0].height if body and body[0] else 0


def _chunks(lines: tuple[str, ...], most: int) -> tuple[tuple[str, ...], ...]:
    """The lines in as few parts as will do, of about equal length."""
    parts = max(1, -(-len(lines) // most))
    length = max(1, -(-len(lines) // parts))
    return tuple(lines[start : start + length] for start in range(0, len(lines), length)) or ((),)


def _flow(body: tuple[Panel, ...], feet: tuple[tuple[str, ...], ...], height: int, top: int) -> tuple[Page, ...]:
    """Body and foot over as many pages as they take. A tall block pushes out the status line, then the foot.

    A panel that would be split between pages begins a new one if it fits there whole.
    """
    pages: list[Page] = []
    for panel in body:
        total = sum(block.height for block in panel)
        whole = total <= _room(Page(top, (), feet[len(pages) % len(feet)]), height)
        for number, block in enumerate(panel):
            needed = total if whole and number == 0 else block.height
            if pages and needed <= _room(pages[-1], height):
                pages[-1] = msgspec.structs.replace(pages[-1], blocks=(*pages[-1].blocks, block))
            else:
                pages.append(_page_for(block, feet[len(pages) % len(feet)], height, top))
    told = sum(1 for page in pages if page.foot)
    while told < len(feet) and (feet[told] or not pages):
        pages.append(Page(top, (), feet[told]))
        told += 1
    return tuple(pages)


def _page_for(block: Block, foot: tuple[str, ...], height: int, top: int) -> Page:
    for page in (Page(top, (), foot), Page(0, (), foot), Page(top, (), ())):
        if block.height <= _room(page, height):
            return msgspec.structs.replace(page, blocks=(block,))
    return Page(0, (block,), ())


def _room(page: Page, height: int) -> int:
    """Pixels that are still free on a page."""
    return height - page.head - sum(block.height for block in page.blocks) - foot_height(len(page.foot))
