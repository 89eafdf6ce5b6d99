"""The picture being drawn, and the few drawing operations that screens are made of."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PIL import Image, ImageDraw

from device.screens import fonts
from device.screens.sprites import sprite


class Canvas:
    """A picture of mode "1" with one language. `ink` is 1 for lit pixels and 0 for dark ones on a lit ground."""

    def __init__(self, size: tuple[int, int], language: str) -> None:
        self.image = Image.new("1", size)
        self.language = language
        self._draw = ImageDraw.Draw(self.image)

    @property
    def width(self) -> int:
        return self.image.width

    def text(self, x: int, y: int, text: str, ink: int = 1) -> None:
        """A line of text whose line box begins at x, y."""
        for char in fonts.visible(text):
            mask, right, down, advance = fonts.glyph(char, self.language)
            self._draw.draw.draw_bitmap((x + right, y + fonts.BASE + down), mask, ink)
            x += advance

    def box(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        """A filled box."""
        if width > 0 and height > 0:
            self._draw.rectangle((x, y, x + width - 1, y + height - 1), fill=ink)

    def frame(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        """The outline of a box."""
        self._draw.rectangle((x, y, x + width - 1, y + height - 1), outline=ink)

    def pip(self, x: int, y: int, width: int, height: int, filled: bool) -> None:
        """An ellipse of that size, filled or not."""
        self._draw.ellipse((x, y, x + width - 1, y + height - 1), outline=1, fill=int(filled))

    def dots(self, y: int) -> None:
        """A dotted rule over the whole width."""
        self._draw.point([(x, y) for x in range(0, self.width, 2)], fill=1)

    def rule(self, y: int) -> None:
        """A rule over the whole width."""
        self.box(0, y, self.width, 1)

    def picture(self, x: int, y: int, name: str, size: int, ink: int = 1) -> bool:
        """A sprite at most `size` high, its top left at x, y. False if there is none of that name."""
        image = sprite(name, size)
        if image is None:
            return False
        self._draw.bitmap((x, y), image, fill=ink)
        return True

    def arrow(self, x: int, y: int) -> None:
        """The cursor, 6 wide and 11 high."""
        for column in range(6):
            self.box(x + column, y + column, 1, 11 - 2 * column)

    def more(self, x: int, y: int, up: bool) -> None:
        """An arrow 5 wide and 10 high: there is more that way."""
        for row in range(3):
            self.box(x + 2 - row, y + (row if up else 9 - row), 1 + 2 * row, 1)
        self.box(x + 2, y, 1, 10)


class Block(msgspec.Struct, frozen=True):
    """A part of the body that is not split between pages: its height, and how it is painted at a given y.

    problems: says what had to be cut to make it fit, for the check. text: of a line of text, what it says.
    """

    height: int
    paint: Callable[[Canvas, int], None]
    problems: Callable[[], tuple[str, ...]] = tuple
    text: str = ""


def stack(blocks: tuple[Block, ...]) -> Block:
    """Blocks one under another, as one that is not split."""

    def paint(canvas: Canvas, y: int) -> None:
        for block in blocks:
            block.paint(canvas, y)
            y += block.height

    def problems() -> tuple[str, ...]:
        return tuple(problem for block in blocks for problem in block.problems())

    return Block(sum(block.height for block in blocks), paint, problems)


def line(text: str, x: int = 0) -> Block:
    """One line of text."""
    return Block(fonts.LINE, lambda canvas, y: canvas.text(x, y, text), text=text)


def strong(text: str, first: bool = True) -> Block:
    """One line of text, dark on a lit ground over the whole width. Above the first of several a row more is lit, or
    its capitals would run into the dark."""
    extra = fonts.overhang(text)

    def paint(canvas: Canvas, y: int) -> None:
        canvas.box(0, y - int(first), canvas.width, fonts.LINE + extra + int(first))
        canvas.text(1, y + extra, text, ink=0)

    return Block(fonts.LINE + extra, paint, text=text)
