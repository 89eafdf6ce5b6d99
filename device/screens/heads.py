"""The status line: whose turn or the way through a menu, clocks, and a rule below that shows which page this is."""

from __future__ import annotations

import msgspec

from device.locale import plain, translate
from device.screens import fonts
from device.screens.canvas import Canvas, small_width
from device.screens.menus import way
from device.screens.screen import Screen

HEAD = 16  # the status line and its rule; lines below it then lie in two pages of a controller, not three
_GAP = 4
MOST = 3  # lines of a status; the third only where a long name needs it


class Head(msgspec.Struct, frozen=True):
    """left: the status, in one line, two or three. right: clocks and page in full size. small: lines in the small
    letters, one under another. whole: False if the status had to be cut."""

    left: tuple[str, ...]
    right: str
    small: tuple[str, ...]
    whole: bool = True

    @property
    def height(self) -> int:
        """Pixels that it takes."""
        return HEAD + (len(self.left) - 1) * fonts.LINE

    def paint(self, canvas: Canvas, number: tuple[int, int]) -> None:
        """Draws it into the topmost rows. `number` is the page, n of how many: the rule under it is bold there."""
        n, count = number
        rule = self.height - 2
        canvas.rule(rule)
        if count > 1:
            left, right = canvas.width * (n - 1) // count, canvas.width * n // count
            canvas.box(left, rule - 1, right - left, 2)  # what is lit below it may be a whole line
        y = 1 + min(1, fonts.overhang("".join(self.left)))
        for row, text in enumerate(self.left):
            canvas.text(0, y + row * fonts.LINE, text)
        edge = canvas.width - _small_room(self.small)
        canvas.text(edge - fonts.width(self.right, canvas.language), y, self.right)
        for row, text in enumerate(self.small):
            canvas.small(canvas.width - small_width(text), 1 + 6 * row, text)


def head(screen: Screen, width: int, language: str) -> Head:
    """What stands in the status line.

    If the status leaves the clocks too little room they are written small, one over the other; then the page goes (the
    rule shows it too); then the status takes two lines, with a long name three; only then is it cut, with an ellipsis.
    """
    own = f"{screen.page[0]}/{screen.page[1]}" if screen.page else ""
    status = translate(screen.status, language) if screen.status else ""
    clocks = tuple(plain(clock, language) for clock in screen.clocks)
    if screen.menu and screen.menu.path:
        status = way(screen.menu, width, language)
    for right, small in (
        (" ".join((*clocks, own)).rstrip(), ()),
        (own, _two_rows(clocks)),
        ("", _two_rows(clocks)),
    ):
        room = width - fonts.width(right, language) - _small_room(small) - (_GAP if right else 0)
        if fonts.width(status, language) <= room:
            return Head((status,), right, small)
    if screen.menu and screen.menu.path:
        return Head((way(screen.menu, room, language),), right, small)
    lines = fonts.wrap(status, room, language)
    if len(lines) <= MOST:
        return Head(lines, right, small)
    rest = status
    for line in lines[: MOST - 1]:
        rest = rest[len(line) :].lstrip()
    return Head((*lines[: MOST - 1], fonts.shorten(rest, room, language)), right, small, whole=False)


def _two_rows(parts: tuple[str, ...]) -> tuple[str, ...]:
    half = (len(parts) + 1) // 2
    return tuple(" ".join(row) for row in (parts[:half], parts[half:]) if row)


def _small_room(small: tuple[str, ...]) -> int:
    return max(map(small_width, small)) + _GAP if small else 0
