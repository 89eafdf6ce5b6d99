"""A contact sheet: pictures enlarged and labelled, in columns, for a person to look through."""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image, ImageDraw

from device.screens import fonts

SCALE = 2
GAP = 8
_GROUND, _INK = 60, 255


def sheet(pictures: Mapping[str, Image.Image], columns: int) -> Image.Image:
    """Pictures of mode "1" (by name) on one of mode "L", row by row."""
    named = list(pictures.items())
    rows = [named[start : start + columns] for start in range(0, len(named), columns)]
    wide = max(picture.width for picture in pictures.values()) * SCALE + GAP
    label = fonts.LINE + GAP
    high = [label + max(picture.height for _, picture in row) * SCALE for row in rows]
    out = Image.new("L", (wide * columns + GAP, sum(high) + GAP), _GROUND)
    draw = ImageDraw.Draw(out)
    y = 0
    for row, height in zip(rows, high, strict=True):
        for column, (name, picture) in enumerate(row):
            x = GAP + column * wide
            draw.text((x, y + GAP // 2 + fonts.BASE), name, fill=_INK, font=fonts.font("en"), anchor="ls")
            large = picture.convert("L").resize(
                (picture.width * SCALE, picture.height * SCALE), Image.Resampling.NEAREST
            )
            out.paste(large, (x, y + label))
        y += height
    return out
