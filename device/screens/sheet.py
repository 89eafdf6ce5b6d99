"""A contact sheet: screens in every language side by side, enlarged and labelled, for a person to look through."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image, ImageDraw

from device.locale import LANGUAGES, NAMES
from device.screens import fonts
from device.screens.render import pages
from device.screens.screen import Screen

_SCALE = 2
_GAP = 8
_GROUND, _INK = 60, 255


def sheet(screens: Mapping[str, Screen], size: tuple[int, int], scale: int = _SCALE) -> Image.Image:
    """All screens (by name) x languages on one picture of mode "L"; further pages of a screen follow below it."""
    cell_width, cell_height = size[0] * scale + _GAP, size[1] * scale + _GAP
    drawn = {name: [pages(screen, size, language) for language in LANGUAGES] for name, screen in screens.items()}
    deep = {name: max(map(len, each)) for name, each in drawn.items()}
    label = fonts.LINE + _GAP
    height = label + sum(label + cell_height * rows for rows in deep.values())
    out = Image.new("L", (cell_width * len(LANGUAGES) + _GAP, height + _GAP), _GROUND)
    draw = ImageDraw.Draw(out)
    for column, language in enumerate(LANGUAGES):
        _label(draw, _GAP + column * cell_width, _GAP // 2, NAMES[language], language)
    y = label
    for name, by_language in drawn.items():
        _label(draw, _GAP, y + _GAP // 2, name, "en")
        y += label
        for column, images in enumerate(by_language):
            for row, image in enumerate(images):
                large = image.convert("L").resize((size[0] * scale, size[1] * scale), Image.Resampling.NEAREST)
                out.paste(large, (_GAP + column * cell_width, y + row * cell_height))
        y += cell_height * deep[name]
    return out


def _label(draw: ImageDraw.ImageDraw, x: int, y: int, text: str, language: str) -> None:
    draw.text((x, y + fonts.BASE), text, fill=_INK, font=fonts.font(language), anchor="ls")
