"""What carries meaning is 1.6 mm high on the smallest display that is sold with each controller.

The height of writing is that of its capitals and figures, without accents (ISO 9241-303). What stands alone, a mark on
the sky, a number under a square, a pip, an arrow, is as high as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from PIL import Image, ImageDraw

from device.displays.controllers import CONTROLLERS
from device.locale import LANGUAGES
from device.screens import fonts
from device.screens.canvas import Canvas
from device.screens.render import paint
from device.screens.screen import Screen
from tests.device.screens.gallery import galleries
from tests.device.screens.shapes import shapes
from tests.pairing import paired

LOWEST = 1.6
"""Millimetres."""

PITCHES = {"ssd1306": 21.74 / 128, "sh1106": 29.42 / 128, "ssd1322": 69.1 / 256}
"""Millimetres between the pixels of the smallest module with a controller: 0.96, 1.3 and 2.8 inches."""

LETTERS = "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ" + "".join(map(chr, range(ord("A"), ord("Z") + 1)))
FIGURES = "0123456789"
WRITING = 2
"""A text of more characters than this is writing; the others stand alone."""

SIGNS = frozenset("-–—…·.:,")
"""What is low wherever it is printed."""


class Measurer(Canvas):
    """A canvas that notes how many rows everything takes that is put on it."""

    def __init__(self, size: tuple[int, int], language: str) -> None:
        super().__init__(size, language)
        self.rows: list[tuple[str, int]] = []

    def text(self, x: int, y: int, text: str, ink: int = 1) -> None:
        if text.strip() and len(text) <= WRITING and text not in SIGNS:
            self.rows.append((text, height(text, self.language)))

    def pip(self, x: int, y: int, width: int, height: int, filled: bool) -> None:
        self.rows.append(("a pip", height))

    def picture(self, x: int, y: int, name: str, size: int, ink: int = 1) -> bool:
        there = super().picture(x, y, name, size, ink)
        if there:
            self.rows.append((f"picture {name}", size))
        return there

    def frame(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        self.rows.append(("a frame", height))

    def arrow(self, x: int, y: int) -> None:
        super().arrow(x, y)
        self.rows.append(("the cursor", self._drawn()))

    def more(self, x: int, y: int, up: bool) -> None:
        super().more(x, y, up)
        self.rows.append(("more that way", self._drawn()))

    def _drawn(self) -> int:
        box = self.image.getbbox()
        self.image.paste(0, (0, 0, *self.image.size))
        assert box is not None
        return box[3] - box[1]

    def box(self, x: int, y: int, width: int, height: int, ink: int = 1) -> None:
        """Grounds and rules are as high as what stands on them; only an arrow is made of boxes."""
        if width <= 5 or height <= 1:
            super().box(x, y, width, height, ink)


@cache
def height(text: str, language: str) -> int:
    """Rows from the top of a text to the lowest that is lit."""
    image = Image.new("1", (60, 40))
    ImageDraw.Draw(image).text((10, 24), text, fill=1, font=fonts.font(language), anchor="ls")
    box = image.getbbox()
    return 0 if box is None else box[3] - box[1]


def lowest(rows: Iterator[tuple[str, int]], pitch: float) -> list[str]:
    """What is too low at that distance of pixels."""
    return sorted({f"{what}: {count * pitch:.2f} mm" for what, count in rows if count * pitch < LOWEST})


def test_every_controller_has_its_smallest_display() -> None:
    assert set(PITCHES) == set(CONTROLLERS)


@pytest.mark.parametrize("name", PITCHES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_capitals_figures_and_ideographs(language: str, name: str) -> None:
    shown = set(LETTERS + FIGURES + "?!%&#") & fonts.characters()
    assert len(shown) == len(LETTERS + FIGURES) + 5
    assert lowest(((char, height(char, language)) for char in shown), PITCHES[name]) == []
    ideographs = [char for char in fonts.characters() if "一" <= char <= "鿿"]
    assert ideographs
    assert lowest(((char, fonts.width(char, language)) for char in ideographs), PITCHES[name]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_with_ascenders_are_as_high_as_capitals(language: str) -> None:
    assert {height(char, language) for char in "bdfhklt"} == {height(char, language) for char in "AZ09"} == {10}


@pytest.mark.thorough
@pytest.mark.parametrize(("language", "name"), paired(LANGUAGES, tuple(PITCHES)))
def test_what_stands_alone_on_every_kind_of_screen(language: str, name: str) -> None:
    sizes = CONTROLLERS[name].sizes
    screens = [*shapes_shown(sizes), *(screen for group in kinds().values() for screen in group.values())]
    pages = (page for screen in screens for size in sizes for page in paint(screen, size, language, Measurer))
    assert lowest((row for page in pages for row in page.rows), PITCHES[name]) == []


def test_a_small_letter_alone_is_found() -> None:
    canvas = Measurer((128, 64), "en")
    canvas.text(0, 0, "a")
    canvas.pip(0, 0, 7, 7, filled=True)
    assert lowest(iter(canvas.rows), PITCHES["ssd1306"]) == ["a pip: 1.19 mm", "a: 1.02 mm"]


@cache
def kinds() -> dict[str, dict[str, Screen]]:
    return galleries()


def shapes_shown(sizes: tuple[tuple[int, int], ...]) -> Iterator[Screen]:
    """The shapes for displays of these sizes, but for those that show a letter for want of a picture."""
    for name, shape in shapes().items():
        if shape.size in sizes and name != "glyphs letters":
            yield shape.screen
