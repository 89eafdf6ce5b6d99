"""The status line: whose turn or the way through a menu, clocks, and a rule below that shows which page this is."""

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
    """left: the status, in one line, two or three. right: clocks and page. left_out: the clocks that have no room
    beside it. whole: False if the status had to be cut."""

    left: tuple[str, ...]
    right: str
    left_out: tuple[str, ...] = ()
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
        canvas.text(canvas.width - fonts.width(self.right, canvas.language), y, self.right)


def head(screen: Screen, width: int, language: str) -> PanelHead:
    """Return the status line. If the clocks get too little room, only the running one stays; then the page number goes
    (the rule shows it too); then the status takes two lines, if need be without a clock, with a long name three; only
    then is it cut, with an ellipsis."""
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
    """The status in as many lines as it takes beside what stands at the right."""
    room = width - (fonts.width(right, language) + _GAP if right else 0)
    if screen.menu and screen.menu.path:
        return PanelHead(way(screen.menu, room, language), right, left_out)
    status = translate(screen.status, language) if screen.status else ""
    return PanelHead(fonts.wrap(status, room, language) or ("",), right, left_out)


def _rights(screen: Screen, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what may be at the right, the fullest first, each with the clocks that do not fit."""
    own = f"{screen.page[0]}/{screen.page[1]}" if screen.page else ""
    clocks = tuple(plain(clock, language) for clock in screen.clocks)
    running = clocks[screen.running : screen.running + 1]
    others = tuple(clock for n, clock in enumerate(clocks) if n != screen.running)
    yield " ".join((*clocks, own)).rstrip(), ()
    yield " ".join((*running, own)).rstrip(), others
    yield " ".join(running), others
    yield "", clocks
