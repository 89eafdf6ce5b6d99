"""Draws a screen as pixels: a pure function of screen, size and language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec
from PIL import Image

from device.locale import translate
from device.screens import fonts
from device.screens.canvas import Canvas
from device.screens.layout import Page, foot_height, has_head, head, height_of, lay_out
from device.screens.screen import Called, Screen, put_in, put_names
from engine.text import Text, verbatim
from engine.view import Cells, Gauge, Glyphs, Line, Ring, Score

C = TypeVar("C", bound=Canvas)

_WORDS = re.compile(r"[^\W\d_]+")
_TIME = re.compile(r"\d:\d\d")
_IDEOGRAPHS = "\u2e80"
"""First ideograph; text from here on has no spaces."""

_SEATS = 4
"""Most letters that can be seats; more are an alphabet."""

_ALONE = 3
"""Ideographs equivalent to one word."""

SIZES = ((128, 64), (256, 64))
"""Supported display sizes in pixels."""


def render(screen: Screen, size: tuple[int, int], language: str) -> Image.Image:
    """Return the current page, mode "1"."""
    return pages(screen, size, language)[0]


def pages(screen: Screen, size: tuple[int, int], language: str) -> tuple[Image.Image, ...]:
    """Return a screen's pages from the current one on."""
    return tuple(canvas.image for canvas in paint(screen, size, language, Canvas))


def with_players(screen: Screen) -> Screen:
    """Return the screen with names for seats; for undrawable ones the game's name, else the seat."""
    if not screen.players:
        return screen
    players = {seat: called for seat, player in screen.players.items() if (called := _on_display(player)) is not None}
    initials = {seat: player.initial for seat, player in players.items() if player.initial is not None}
    shown = put_in(msgspec.structs.replace(screen, clocks=(), players={}), players, initials)
    return msgspec.structs.replace(shown, clocks=put_names(screen.clocks, initials, initials))


def _on_display(player: Called) -> Called | None:
    if isinstance(player.name, Text) or not fonts.illegible(player.name):
        return player
    initial = player.initial if isinstance(player.initial, Text) else None
    return None if player.pieces is None else Called(player.pieces, initial)


def paint(screen: Screen, size: tuple[int, int], language: str, kind: type[C]) -> tuple[C, ...]:
    """Return `pages` as canvases of this kind."""
    screen = with_players(screen)
    laid = lay_out(screen, size, language)
    count = len(laid)
    order = [(screen.leaf + n) % count for n in range(count)]
    canvases = tuple(kind(size, language) for _ in order)
    for canvas, n in zip(canvases, order, strict=True):
        _paint(screen, laid[n], canvas, (n + 1, count))
    return canvases


def _paint(screen: Screen, page: Page, canvas: Canvas, number: tuple[int, int]) -> None:
    y = 0
    if page.head:
        head(screen, canvas.width, canvas.language).paint(
            canvas, number if number[1] > 1 or not screen.page else screen.page
        )
        y = page.head
    elif not has_head(screen):
        y = _first_line(page)
    for block in page.blocks:
        block.paint(canvas, y)
        y += block.height
    _foot(canvas, page, alert=screen.alert is not None)


def _first_line(page: Page) -> int:
    return fonts.OVERHANG if height_of(page) <= 64 - fonts.OVERHANG else 0


def _foot(canvas: Canvas, page: Page, alert: bool) -> None:
    height = foot_height(len(page.foot))
    top = canvas.image.height - height
    if not height:
        return
    if alert:
        canvas.box(0, top - 1, canvas.width, height + 1)
    elif page.blocks and height_of(page) < canvas.image.height:
        canvas.dots(max(top - 2, canvas.image.height - height - (canvas.image.height - height_of(page))))
    for number, text in enumerate(page.foot):
        canvas.text(1, max(0, top + number * fonts.LINE), text, ink=int(not alert))


class Problem(msgspec.Struct, frozen=True, order=True):
    """A fault of a screen in one language."""

    language: str
    what: str


def fits(screen: Screen, size: tuple[int, int], language: str) -> list[Problem]:
    """Return a screen's faults in this size and language."""
    screen = with_players(screen)
    laid = lay_out(screen, size, language)
    found = [problem for page in laid for block in page.blocks for problem in block.problems()]
    found += [f"a page is {height} pixels high" for page in laid if (height := height_of(page)) > size[1]]
    found += [f"without a noun: {what}" for what in _nameless(screen)]
    found += [f"a page of a single word: {word!r}" for word in _alone(laid)]
    status = translate(screen.status, language) if screen.status else ""
    if any(page.head for page in laid) and not head(screen, size[0], language).whole:
        found.append(f"status {status!r} is too long")
    shown = "".join(translate(text, language) for text in texts(screen))
    found += [f"no glyph for {char!r}" for char in sorted(fonts.illegible(shown))]
    return [Problem(language, what) for what in dict.fromkeys(found)]


def _nameless(screen: Screen) -> Iterator[str]:
    for panel in screen.panels:
        if not isinstance(panel, Line) and not _says(panel.label):
            yield type(panel).__name__.lower()
        elif isinstance(panel, Line) and not _says(panel.text):
            yield f"the line {str(panel.text)!r}"
    bare = [str(item) for item in screen.menu.items if not _says(item)] if screen.menu else []
    letters = [item for item in bare if _WORDS.search(item)]
    alphabet = letters if len("".join(letters)) > _SEATS else []
    yield from (f"the choice {item!r}" for item in bare if item not in alphabet)


def _says(text: Text) -> bool:
    return bool(_TIME.search(str(text))) or any(
        len(word) > 1 or word >= _IDEOGRAPHS for word in _WORDS.findall(str(text))
    )


def _alone(laid: tuple[Page, ...]) -> Iterator[str]:
    for page in laid if len(laid) > 1 else ():
        lines = (*(block.text for block in page.blocks), *page.foot)
        words = [word for line in lines for word in line.split()]
        if len(words) == 1 and all(lines) and not (len(words[0]) > _ALONE and words[0] >= _IDEOGRAPHS):
            yield words[0]


def texts(screen: Screen) -> list[Text]:
    """Return all texts of a screen, with names and captions."""
    found = [text for text in (screen.status, screen.prompt, screen.alert, screen.turns, *screen.hints) if text]
    found += [clock for clock in screen.clocks if isinstance(clock, Text)]
    if screen.menu:
        found += [*screen.menu.items, *screen.menu.path]
    for panel in screen.panels:
        match panel:
            case Line():
                found.append(panel.text)
            case Gauge():
                found.append(panel.label)
            case Ring():
                found += [panel.label, *(player for _, player in panel.marks if isinstance(player, Text))]
            case Score():
                found += [panel.label, *(n if isinstance(n, Text) else verbatim(n) for n, _ in panel.entries)]
            case Glyphs():
                found += [panel.label, *map(verbatim, panel.captions)]
            case Cells():
                found += [panel.label, *(cell for cell in panel.cells if isinstance(cell, Text))]
    return found
