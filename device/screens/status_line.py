"""Draws the status line above a screen."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from device.locale import plain, translate
from device.screens import fonts
from device.screens.canvas import Canvas
from device.screens.menus import way
from device.screens.screen import Screen

MOST = 3  # lines of a status; the third only where a long name needs it
HEAD = 16  # the status line and its rule; lines below it then lie in two pages of a controller, not three
_GAP = 4


class PanelHead(msgspec.Struct, frozen=True):
    """The status line. left: up to three lines. right: clocks and page. left_out: clocks without room. whole: False if
    cut."""

    left: tuple[str, ...]
    right: str
    left_out: tuple[str, ...] = ()
    whole: bool = True

    @property
    def height(self) -> int:
        """Height in pixels."""
        return HEAD + (len(self.left) - 1) * fonts.LINE

    def paint(self, canvas: Canvas, number: tuple[int, int]) -> None:
        """Draw it at the top. number: page and page count, marked on the rule."""
        n, count = number
        rule = self.height - 2
        canvas.rule(rule)
        if count > 1:
            left, right = canvas.width * (n - 1) // count, canvas.width * n // count
            canvas.box(left, rule - 1, right - left, 2)  # what is lit below it may be a whole line
        y = 1 + min(1, fonts.overhang("".join(self.left)))
        for row, text in enumerate(self.left):
            canvas.text(0, y + row * fonts.LINE, text)
        canvas.text(canvas.width - fonts.width(self.right, canvas.language), y, self.right)


def head(screen: Screen, width: int, language: str) -> PanelHead:
    """Return the status line, dropping clocks and page number for room, using up to three lines."""
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
    room = width - (fonts.width(right, language) + _GAP if right else 0)
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
