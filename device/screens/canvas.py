"""Draws on screens, and reads sprites.

Sprites are sprites/SIZE/NAME.txt, grids of "#" (lit) and "." (dark).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache

import msgspec
from PIL import Image, ImageDraw

from device.resources import AGAIN, find
from device.screens import fonts
from engine.errors import RefereeError
from vision.files import BadFile, read_text

_log = logging.getLogger(__name__)

SIZES = (11, 16, 22)
"""Heights in pixels, ascending."""


class SpriteError(RefereeError, ValueError):
    """A sprite's file is invalid."""


@cache
def sprite(name: str, size: int) -> Image.Image | None:
    """Return the largest sprite up to `size` pixels high, mode "1"; None if missing or unreadable."""
    for height in sorted((each for each in SIZES if each <= size), reverse=True):
        path = find("sprites", str(height), f"{name}.txt")
        if path.is_file():
            try:
                return read(read_text(path, remedy=AGAIN), str(path))
            except (BadFile, SpriteError) as error:
                _log.error("it is not drawn: %s", error)
    return None


def read(text: str, where: str) -> Image.Image:
    """Return a grid as a picture. Raises SpriteError."""
    rows = text.split()
    if not rows or len({len(row) for row in rows}) != 1 or set("".join(rows)) - {"#", "."}:
        raise SpriteError(f"{where}: lines of equal length of # and . are wanted")
    image = Image.new("1", (len(rows[0]), len(rows)))
    image.putdata([char == "#" for row in rows for char in row])
    return image


class Canvas:
    """A mode "1" picture in one language. ink: 1 for lit pixels, 0 for dark ones."""

    def __init__(self, size: tuple[int, int], language: str) -> None:
        self.image = Image.new("1", size)
        self.language = language
        self._draw = ImageDraw.Draw(self.image)

    @property
    def width(self) -> int:
        return self.image.width

    def text(self, x: int, y: int, text: str, ink: int = 1) -> None:
        """Draw text with its line box at x, y."""
        for char in fonts.visible(text):
            mask, right, down, advance = fonts.glyph(char, self.language)
            self._draw.draw.draw_bitmap((x + right, y + fonts.BASE + down), mask, ink)
            x += advance

    def box(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        """Fill a box."""
        if width > 0 and height > 0:
            self._draw.rectangle((x, y, x + width - 1, y + height - 1), fill=ink)

    def frame(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        """Draw a box's outline."""
        self._draw.rectangle((x, y, x + width - 1, y + height - 1), outline=ink)

    def pip(self, x: int, y: int, width: int, height: int, filled: bool) -> None:
        """Draw an ellipse."""
        self._draw.ellipse((x, y, x + width - 1, y + height - 1), outline=1, fill=int(filled))

    def dots(self, y: int) -> None:
        """Draw a full-width dotted rule."""
        self._draw.point([(x, y) for x in range(0, self.width, 2)], fill=1)

    def rule(self, y: int) -> None:
        """Draw a full-width rule."""
        self.box(0, y, self.width, 1)

    def picture(self, x: int, y: int, name: str, size: int, ink: int = 1) -> bool:
        """Draw a sprite at most `size` high at x, y; return False if missing."""
        image = sprite(name, size)
        if image is None:
            return False
        self._draw.bitmap((x, y), image, fill=ink)
        return True

    def arrow(self, x: int, y: int) -> None:
        """Draw the cursor, 6 by 11 pixels."""
        for column in range(6):
            self.box(x + column, y + column, 1, 11 - 2 * column)

    def more(self, x: int, y: int, up: bool) -> None:
        """Draw a scroll arrow, 5 by 10 pixels."""
        for row in range(3):
            self.box(x + 2 - row, y + (row if up else 9 - row), 1 + 2 * row, 1)
        self.box(x + 2, y, 1, 10)


class Block(msgspec.Struct, frozen=True):
    """A part of the body that is never split.

    height: pixels.
    paint: draws it at a given y.
    problems: returns what was cut.
    text: of a text line.
    """

    height: int
    paint: Callable[[Canvas, int], None]
    problems: Callable[[], tuple[str, ...]] = tuple
    text: str = ""


def stack(blocks: tuple[Block, ...]) -> Block:

    def paint(canvas: Canvas, y: int) -> None:
        for block in blocks:
            block.paint(canvas, y)
            y += block.height

    def problems() -> tuple[str, ...]:
        return tuple(problem for block in blocks for problem in block.problems())

    return Block(sum(block.height for block in blocks), paint, problems)


def line(text: str, x: int = 0) -> Block:
    return Block(fonts.LINE, lambda canvas, y: canvas.text(x, y, text), text=text)


def strong(text: str, first: bool = True) -> Block:
    """Return an inverted line of text. first: light one more row above, for capitals."""
    extra = fonts.overhang(text)

    def paint(canvas: Canvas, y: int) -> None:
        canvas.box(0, y - int(first), canvas.width, fonts.LINE + extra + int(first))
        canvas.text(1, y + extra, text, ink=0)

    return Block(fonts.LINE + extra, paint, text=text)
