"""The status line: whose turn or the way through the menu, clocks, and which page of how many."""

from __future__ import annotations

import msgspec

from device.locale import translate
from device.screens import fonts
from device.screens.canvas import Canvas, small_width
from device.screens.menus import way
from device.screens.screen import Screen

_GAP = 4


class Head(msgspec.Struct, frozen=True):
    """left: the status. right: clocks and page in full size. small: lines in the small letters, one under another."""

    left: str
    right: str
    small: tuple[str, ...]

    def paint(self, canvas: Canvas) -> None:
        """Draws it into the topmost rows."""
        y = 1 + min(1, fonts.overhang(self.left))
        canvas.text(0, y, self.left)
        edge = canvas.width - _small_room(self.small)
        canvas.text(edge - fonts.width(self.right, canvas.language), y, self.right)
        for row, text in enumerate(self.small):
            canvas.small(canvas.width - small_width(text), 1 + 6 * row, text)


def head(screen: Screen, width: int, language: str, number: tuple[int, int]) -> Head:
    """The status line of page `number` (n, of how many).

    If the status leaves the clocks too little room they are written small, one over the other; only then is the status
    cut, with an ellipsis. A screen that is one of several says so in full size, pages that turn by themselves small.
    """
    own = f"{screen.page[0]}/{screen.page[1]}" if screen.page else ""
    mark = (f"{number[0]}/{number[1]}",) if number[1] > 1 else ()
    status = translate(screen.status, language) if screen.status else ""
    if screen.menu and screen.menu.path:
        status = way(screen.menu, width, language)
    for right, small in (
        (" ".join((*screen.clocks, own)).rstrip(), mark),
        (own, _two_rows((*screen.clocks, *mark))),
    ):
        room = width - fonts.width(right, language) - _small_room(small) - (_GAP if right else 0)
        if fonts.width(status, language) <= room:
            return Head(status, right, small)
    if screen.menu and screen.menu.path:
        return Head(way(screen.menu, room, language), right, small)
    return Head(fonts.shorten(status, room, language), right, small)


def _two_rows(parts: tuple[str, ...]) -> tuple[str, ...]:
    half = (len(parts) + 1) // 2
    return tuple(" ".join(row) for row in (parts[:half], parts[half:]) if row)


def _small_room(small: tuple[str, ...]) -> int:
    return max(map(small_width, small)) + _GAP if small else 0
