"""How every kind of panel, head, foot and menu is drawn, to the pixel, compared with the pictures in shapes/.

`python -m tests.device.screens.test_shapes` draws them again, and a sheet of them all: look at that before you commit.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from device.screens.render import fits, pages
from tests.device.screens.shapes import Shape, shapes
from tests.device.screens.sheet import sheet

FOLDER = Path(__file__).parent / "shapes"
SHEET = FOLDER / "sheet.png"
SHAPES = shapes()


def strip(shape: Shape) -> Image.Image:
    """All pages of a shape one under another."""
    drawn = pages(shape.screen, shape.size, shape.language)
    out = Image.new("1", (shape.size[0], shape.size[1] * len(drawn)))
    for number, page in enumerate(drawn):
        out.paste(page, (0, shape.size[1] * number))
    return out


def picture(name: str) -> Path:
    return FOLDER / f"{name.replace(' ', '-')}.png"


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_drawn_as_it_was(name: str) -> None:
    with Image.open(picture(name)) as kept:
        drawn = strip(SHAPES[name])
        assert kept.size == drawn.size
        assert ImageChops.logical_xor(kept.convert("1"), drawn).getbbox() is None, (
            "if it is meant to look otherwise: python -m tests.device.screens.test_shapes"
        )


def test_what_has_no_sprite_is_all_that_is_lost() -> None:
    lost = {name: fits(shape.screen, shape.size, shape.language) for name, shape in SHAPES.items()}
    assert [name for name, problems in lost.items() if problems] == ["glyphs letters"]


def test_no_picture_is_left_over() -> None:
    assert set(FOLDER.iterdir()) == {SHEET, *map(picture, SHAPES)}


def update() -> None:
    """Draws the pictures and the sheet."""
    for path in FOLDER.iterdir():
        path.unlink()
    drawn = {name: strip(shape) for name, shape in SHAPES.items()}
    for name, image in drawn.items():
        image.save(picture(name), optimize=True)
    sheet(drawn, 4).save(SHEET, optimize=True)


if __name__ == "__main__":
    update()
