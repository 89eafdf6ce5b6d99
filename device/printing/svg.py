"""Writes a sheet as SVG; one unit is 1 mm."""

from __future__ import annotations

from itertools import count
from xml.sax.saxutils import escape

from device.printing.drawing import Clip, DrawnDisc, Item, Label, Shape, Sheet


def render(sheet: Sheet) -> bytes:
    """Return the document in UTF-8."""
    size = f'width="{sheet.width:g}mm" height="{sheet.height:g}mm" viewBox="0 0 {sheet.width:g} {sheet.height:g}"'
    numbers = count(1)
    body = "\n".join(_item(item, numbers) for item in sheet.items)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{body}\n</svg>\n'.encode()


def _item(item: Item, numbers: count[int]) -> str:
    match item:
        case Shape(outlines=outlines):
            path = " ".join("M" + " L".join(f"{x:g} {y:g}" for x, y in outline) + " Z" for outline in outlines)
            return f'<path fill-rule="evenodd" d="{path}"{_paint(item)}/>'
        case DrawnDisc(centre=(x, y), radius=radius):
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"{_paint(item)}/>'
        case Label(at=(x, y)):
            face = f'font-family="Helvetica, Arial, sans-serif" font-size="{item.height:g}" text-anchor="{item.anchor}"'
            return f'<text x="{x:g}" y="{y:g}" fill="{item.colour}" {face}>{escape(item.text)}</text>'
        case Clip():
            return _clip(item, numbers)


def _clip(clip: Clip, numbers: count[int]) -> str:
    name = f"window{next(numbers)}"
    x, y, width, height = clip.window
    window = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
    body = "\n".join(_item(item, numbers) for item in clip.items)
    shift = f"translate({clip.at[0] - x:g} {clip.at[1] - y:g})"
    return (
        f'<clipPath id="{name}">{window}</clipPath>\n'
        f'<g transform="{shift}"><g clip-path="url(#{name})">\n{body}\n</g></g>'
    )


def _paint(item: Shape | DrawnDisc) -> str:
    stroke = f' stroke="{item.line}" stroke-width="{item.width:g}"' if item.line else ""
    return f' fill="{item.fill or "none"}"{stroke}'
