"""Dividing a screen into pages: the status above, the body, the prompt or alert below.

Nothing is clipped: what does not fit beside the rest moves on to the next page, and the display turns the pages.
"""

from __future__ import annotations

import msgspec

from device.locale import translate
from device.screens import fonts, panels
from device.screens.canvas import Block
from device.screens.menus import menu_block
from device.screens.screen import Screen
from device.screens.sprites import SIZES as SPRITES

HEAD = 15  # the status line and its rule
MENU = 2 * fonts.LINE  # a menu shows two lines at least


class Page(msgspec.Struct, frozen=True):
    """One picture: whether the status line is on it, the body's blocks, and the lines at its foot."""

    head: bool
    blocks: tuple[Block, ...]
    foot: tuple[str, ...]


def foot_height(lines: int) -> int:
    """Pixels that lines at the foot take, with the rule above them."""
    return lines * fonts.LINE + 1 if lines else 0


def has_head(screen: Screen) -> bool:
    """True if there is anything for the status line."""
    return bool(screen.status or screen.clocks or screen.page or (screen.menu and screen.menu.path))


def lay_out(screen: Screen, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    """The pages of a screen, at least one; with large pictures if they cost no page."""
    large = _lay_out(screen, size, language, max(SPRITES))
    if len(large) == 1:
        return large
    small = _lay_out(screen, size, language, 16)
    return small if len(small) < len(large) else large


def _lay_out(screen: Screen, size: tuple[int, int], language: str, picture: int) -> tuple[Page, ...]:
    width, height = size
    text = screen.alert or screen.prompt
    lines = fonts.wrap(translate(text, language), width - 2, language) if text else ()
    body = () if screen.menu else tuple(b for p in screen.panels for b in panels.blocks(p, width, language, picture))
    least = MENU if screen.menu else 0 if screen.alert else min(_first(body), height - HEAD)
    head = has_head(screen)
    feet = _chunks(lines, max(1, (height - HEAD * head - least - 1) // fonts.LINE))
    if screen.menu:
        rest = height - HEAD * head - foot_height(max(map(len, feet)))
        block = menu_block(screen.menu, width, rest, language)
        return tuple(Page(head, (block,), foot) for foot in feet)
    if screen.alert:
        return tuple(Page(head, _fill(body, height - HEAD * head - foot_height(len(foot))), foot) for foot in feet)
    return _flow(body, feet, height, head)


def _first(body: tuple[Block, ...]) -> int:
    return body[0].height if body else 0


def _chunks(lines: tuple[str, ...], most: int) -> tuple[tuple[str, ...], ...]:
    """The lines in as few parts as will do, of about equal length."""
    parts = max(1, -(-len(lines) // most))
    length = max(1, -(-len(lines) // parts))
    return tuple(lines[start : start + length] for start in range(0, len(lines), length)) or ((),)


def _fill(body: tuple[Block, ...], room: int) -> tuple[Block, ...]:
    """The blocks that fit, in order, up to the first that does not: beside an alert the rest can wait."""
    chosen: list[Block] = []
    for block in body:
        room -= block.height
        if room < 0:
            break
        chosen.append(block)
    return tuple(chosen)


def _flow(body: tuple[Block, ...], feet: tuple[tuple[str, ...], ...], height: int, head: bool) -> tuple[Page, ...]:
    """Body and foot over as many pages as they take. A tall block pushes out the status line, then the foot."""
    pages: list[Page] = []
    used = 0
    for block in body:
        foot = feet[len(pages) % len(feet)]
        if pages and used + block.height <= _room(pages[-1], height):
            used += block.height
            pages[-1] = msgspec.structs.replace(pages[-1], blocks=(*pages[-1].blocks, block))
            continue
        kinds = (Page(head, (block,), foot), Page(False, (block,), foot), Page(head, (block,), ()))
        fitting = [page for page in kinds if block.height <= _room(page, height)]
        pages.append(fitting[0] if fitting else Page(False, (block,), ()))
        used = block.height
    told = sum(1 for page in pages if page.foot)
    while told < len(feet) and (feet[told] or not pages):
        pages.append(Page(head, (), feet[told]))
        told += 1
    return tuple(pages)


def _room(page: Page, height: int) -> int:
    return height - HEAD * page.head - foot_height(len(page.foot))
