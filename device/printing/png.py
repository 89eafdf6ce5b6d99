"""Writes sheets as PNG with their resolution."""

from __future__ import annotations

from io import BytesIO

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from device.printing.drawing import DPI, Clip, DrawnDisc, Item, Label, Point, Shape, Sheet

MM_PER_INCH = 25.4
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def render(sheet: Sheet, dpi: int = DPI) -> bytes:
    """Return the PNG file."""
    buffer = BytesIO()
    picture(sheet, dpi / MM_PER_INCH).save(buffer, "PNG", dpi=(dpi, dpi))
    return buffer.getvalue()


def picture(sheet: Sheet, pixels_per_mm: float) -> Image.Image:
    """Return the sheet in RGB."""
    canvas = Image.new("RGB", (round(sheet.width * pixels_per_mm), round(sheet.height * pixels_per_mm)), "white")
    for item in sheet.items:
        _paint(canvas, item, pixels_per_mm)
    return canvas


def _paint(canvas: Image.Image, item: Item, scale: float) -> None:
    draw = ImageDraw.Draw(canvas)
    match item:
        case Shape():
            _shape(canvas, item, scale)
        case DrawnDisc(centre=(x, y), radius=radius):
            corners = [(x - radius) * scale, (y - radius) * scale, (x + radius) * scale, (y + radius) * scale]
            draw.ellipse(corners, item.fill, item.line, max(1, round(item.width * scale)))
        case Label(at=(x, y)):
            font = ImageFont.load_default(max(1.0, item.height * scale))
            draw.text((x * scale, y * scale), item.text, item.colour, font, anchor=_ANCHORS[item.anchor])
        case Clip(window=(x, y, width, height)):
            part = picture(Sheet("part", x + width, y + height, item.items), scale)
            cut = part.crop((round(x * scale), round(y * scale), *part.size))
            canvas.paste(cut, (round(item.at[0] * scale), round(item.at[1] * scale)))


def _shape(canvas: Image.Image, shape: Shape, scale: float) -> None:
    outlines = [_pixels(outline, scale) for outline in shape.outlines]
    if shape.fill and outlines:
        # A pixel belongs to the shape if its centre does: fillPoly paints the far edge too, hence half a pixel less.
        corner = np.floor(np.concatenate(outlines).min(0)).astype(int) - 1
        width, height = np.ceil(np.concatenate(outlines).max(0)).astype(int) + 1 - corner
        mask = np.zeros((height, width), dtype=np.uint8)
        parts = [np.round((each - corner - 0.5) * 16).astype(np.int32) for each in outlines]
        cv2.fillPoly(mask, parts, (255,), shift=4)
        canvas.paste(shape.fill, (int(corner[0]), int(corner[1])), Image.fromarray(mask))
    if shape.line:
        pen = ImageDraw.Draw(canvas)
        for outline in outlines:
            corners = [(float(x), float(y)) for x, y in (*outline, outline[0])]
            pen.line(corners, shape.line, max(1, round(shape.width * scale)), joint="curve")


def _pixels(outline: tuple[Point, ...], scale: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array(outline, dtype=np.float64).reshape(-1, 2) * scale
