"""Dividing a screen into pages: the status above, the body, the prompt or alert below.

Nothing is clipped: what does not fit beside the rest moves on to the next page, and the display turns the pages.
"""

from __future__ import annotations

import msgspec

from device.locale import translate
from device.screens import fonts, panels
from device.screens.canvas import Block
from device.screens.codes import beside, code_block
from device.screens.heads import head
from device.screens.menus import menu_block
from device.screens.screen import Screen
from device.screens.sprites import SIZES as SPRITES
from engine.view import Line, Panel

WIDE = 200  # pixels from which on a display counts as wide
MENU = 2 * fonts.LINE  # a menu shows two lines at least
TURNED = 2  # pages that all show the prompt; of more than these only the first, if that makes them fewer
BESIDE = 23  # what a prompt leaves for the first block: a row of numbered glyphs beside two lines


class Part(msgspec.Struct, frozen=True):
    """A panel as blocks. apart: it cannot be taken for a part of the foot, even without a rule between them."""

    blocks: tuple[Block, ...]
    apart: bool = True

    @property
    def height(self) -> int:
        return sum(block.height for block in self.blocks)


class Page(msgspec.Struct, frozen=True):
    """One picture: pixels of the status line (0: left out), blocks of the body, lines at the foot. ruled: there is a
    rule between body and foot."""

    head: int
    blocks: tuple[Block, ...]
    foot: tuple[str, ...]
    ruled: bool = True


def foot_height(lines: int, ruled: bool = True) -> int:
    """Pixels that lines at the foot take below a body, with the rule between if there is one."""
    return lines * fonts.LINE + ruled if lines else 0


def height_of(page: Page) -> int:
    """Pixels that a page takes. Without a body the foot needs no rule."""
    foot = foot_height(len(page.foot), page.ruled) if page.blocks else len(page.foot) * fonts.LINE
    return page.head + sum(block.height for block in page.blocks) + foot


def has_head(screen: Screen) -> bool:
    """True if there is anything for the status line."""
    return bool(screen.status or screen.clocks or screen.page or (screen.menu and screen.menu.path))


def lay_out(screen: Screen, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    """The pages of a screen, at least one; on a wide display with the largest pictures, if all has room beside them."""
    if screen.code is not None:
        return _with_code(screen, screen.code, size, language)
    small = _lay_out(screen, size, language, SPRITES[-2])
    large = _lay_out(screen, size, language, SPRITES[-1]) if size[0] >= WIDE else small
    return large if len(large) == 1 and large[0].head == small[0].head else small


def _with_code(screen: Screen, address: str, size: tuple[int, int], language: str) -> tuple[Page, ...]:
    """A code fills the height, so the alert has a page of its own."""
    texts = (text for text in (screen.status, screen.prompt) if text)
    room = beside(size[0])
    lines = tuple(line for text in texts for line in fonts.wrap(translate(text, language), room, language))
    first = Page(0, (code_block(address, lines),), ())
    alone = msgspec.structs.replace(screen, code=None, prompt=None)
    return (first, *(_lay_out(alone, size, language, SPRITES[-2]) if screen.alert else ()))


def _lay_out(screen: Screen, size: tuple[int, int], language: str, picture: int) -> tuple[Page, ...]:
    width, height = size
    text = screen.alert or screen.prompt
    lines = fonts.wrap(translate(text, language), width - 2, language) if text else ()
    body = () if screen.menu else tuple(_part(screen, panel, width, language, picture) for panel in screen.panels)
    least = MENU if screen.menu else min(_first(body), BESIDE)
    top = head(screen, width, language).height if has_head(screen) else 0
    rule = bool(least) and not (screen.menu or (body and body[0].apart))
    feet = _chunks(lines, max(1, (height - top - least - rule) // fonts.LINE))
    if screen.menu:
        ruled = len(lines) <= (height - top - MENU - 1) // fonts.LINE  # a sentence needs its room more than a rule
        rest = height - top - foot_height(max(map(len, feet)), ruled)
        block = menu_block(screen.menu, width, rest, language)
        return tuple(Page(top, (block,), foot, ruled) for foot in feet)
    repeated = _flow(body, feet, height, top, again=True)
    once = _flow(body, feet, height, top, again=False)
    return once if len(repeated) > TURNED and len(once) < len(repeated) else repeated


def _part(screen: Screen, panel: Panel, width: int, language: str, picture: int) -> Part:
    apart = screen.alert is not None or not isinstance(panel, Line) or panel.strong
    return Part(panels.blocks(panel, width, language, picture), apart)


def _first(body: tuple[Part, ...]) -> int:
    return body[0].blocks[0].height if body and body[0].blocks else 0


def _chunks(lines: tuple[str, ...], most: int) -> tuple[tuple[str, ...], ...]:
    """The lines in as few parts as will do, of about equal length."""
    parts = max(1, -(-len(lines) // most))
    length = max(1, -(-len(lines) // parts))
    return tuple(lines[start : start + length] for start in range(0, len(lines), length)) or ((),)


def _flow(
    body: tuple[Part, ...], feet: tuple[tuple[str, ...], ...], height: int, top: int, *, again: bool
) -> tuple[Page, ...]:
    """Body and foot over as many pages as they take. A tall block pushes out the status line, then the foot.

    A panel that would be split between pages begins a new one if it fits there whole, if need be without the rule.
    again: the foot stands on every page, not only until it is told.
    """
    pages: list[Page] = []
    for part in body:
        fresh = _fresh(pages, feet, top, again=again)
        room = _room(fresh, height)
        if part.apart and room < part.height and (room + 1) % fonts.LINE == 0:
            fresh = msgspec.structs.replace(fresh, ruled=False)  # one line more for the rule's pixel
        whole = part.height <= _room(fresh, height)
        for number, block in enumerate(part.blocks):
            needed = part.height if whole and number == 0 else block.height
            if pages and needed <= _room(pages[-1], height):
                pages[-1] = msgspec.structs.replace(pages[-1], blocks=(*pages[-1].blocks, block))
            else:
                page = fresh if number == 0 else _fresh(pages, feet, top, again=again)
                pages.append(_page_for(block, page, height))
    for foot in feet[_told(pages) :]:
        if foot or not pages:
            pages.append(Page(top, (), foot))
    return tuple(pages)


def _told(pages: list[Page]) -> int:
    """How many parts of the foot stand on pages."""
    return sum(1 for page in pages if page.foot)


def _fresh(pages: list[Page], feet: tuple[tuple[str, ...], ...], top: int, *, again: bool) -> Page:
    """The next page: with the part of the foot that was not told yet, then with none, or (`again`) with all in turn."""
    told = _told(pages)
    if told < len(feet):
        return Page(top, (), feet[told])
    return Page(top, (), feet[len(pages) % len(feet)] if again else ())


def _page_for(block: Block, fresh: Page, height: int) -> Page:
    for page in (fresh, msgspec.structs.replace(fresh, head=0), msgspec.structs.replace(fresh, foot=())):
        if block.height <= _room(page, height):
            return msgspec.structs.replace(page, blocks=(block,))
    return Page(0, (block,), ())


def _room(page: Page, height: int) -> int:
    """Pixels that are still free on a page."""
    return height - page.head - sum(block.height for block in page.blocks) - foot_height(len(page.foot), page.ruled)
