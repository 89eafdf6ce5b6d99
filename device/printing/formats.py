"""Writes sheets as PDF, SVG or PNG, at true size."""

from __future__ import annotations

from io import BytesIO
from itertools import count
from typing import Any
from xml.sax.saxutils import escape

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import FILL_EVEN_ODD, Canvas

from device.printing.drawing import DPI, Clip, DrawnDisc, Item, Label, Point, Shape, Sheet


def pdf_file(sheets: tuple[Sheet, ...], title: str) -> bytes:
    """Return the PDF, deterministic and marked to print without scaling."""
    buffer = BytesIO()
    canvas = Canvas(buffer, invariant=True, pageCompression=1)
    canvas.setTitle(title)
    canvas.setAuthor("Table referee")
    canvas.setViewerPreference("PrintScaling", "None")
    for sheet in sheets:
        canvas.setPageSize((sheet.width * mm, sheet.height * mm))
        canvas.translate(0, sheet.height * mm)
        canvas.scale(mm, -mm)
        for item in sheet.items:
            _pdf_paint(canvas, item)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _pdf_paint(canvas: Any, item: Item) -> None:
    match item:
        case Shape():
            _pdf_pens(canvas, item)
            path = canvas.beginPath()
            for (x, y), *rest in item.outlines:
                path.moveTo(x, y)
                for point in rest:
                    path.lineTo(*point)
                path.close()
            canvas.drawPath(path, stroke=int(bool(item.line)), fill=int(bool(item.fill)), fillMode=FILL_EVEN_ODD)
        case DrawnDisc():
            _pdf_pens(canvas, item)
            canvas.circle(*item.centre, item.radius, stroke=int(bool(item.line)), fill=int(bool(item.fill)))
        case Label():
            _pdf_text(canvas, item)
        case Clip():
            _pdf_clip(canvas, item)


def _pdf_pens(canvas: Any, item: Shape | DrawnDisc) -> None:
    if item.fill:
        canvas.setFillColor(HexColor(item.fill))
    if item.line:
        canvas.setStrokeColor(HexColor(item.line))
        canvas.setLineWidth(item.width)


def _pdf_text(canvas: Any, label: Label) -> None:
    canvas.saveState()
    canvas.translate(*label.at)
    canvas.scale(1, -1)
    canvas.setFillColor(HexColor(label.colour))
    canvas.setFont("Helvetica", label.height)
    draw = {"start": canvas.drawString, "middle": canvas.drawCentredString, "end": canvas.drawRightString}
    draw[label.anchor](0, 0, label.text)
    canvas.restoreState()


def _pdf_clip(canvas: Any, clip: Clip) -> None:
    x, y, width, height = clip.window
    canvas.saveState()
    canvas.translate(clip.at[0] - x, clip.at[1] - y)
    window = canvas.beginPath()
    window.rect(x, y, width, height)
    canvas.clipPath(window, stroke=0, fill=0)
    for item in clip.items:
        _pdf_paint(canvas, item)
    canvas.restoreState()


def svg_file(sheet: Sheet) -> bytes:
    """Return the document in UTF-8."""
    size = f'width="{sheet.width:g}mm" height="{sheet.height:g}mm" viewBox="0 0 {sheet.width:g} {sheet.height:g}"'
    numbers = count(1)
    body = "\n".join(_svg_item(item, numbers) for item in sheet.items)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{body}\n</svg>\n'.encode()


def _svg_item(item: Item, numbers: count[int]) -> str:
    match item:
        case Shape(outlines=outlines):
            path = " ".join("M" + " L".join(f"{x:g} {y:g}" for x, y in outline) + " Z" for outline in outlines)
            return f'<path fill-rule="evenodd" d="{path}"{_svg_paint(item)}/>'
        case DrawnDisc(centre=(x, y), radius=radius):
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"{_svg_paint(item)}/>'
        case Label(at=(x, y)):
            face = f'font-family="Helvetica, Arial, sans-serif" font-size="{item.height:g}" text-anchor="{item.anchor}"'
            return f'<text x="{x:g}" y="{y:g}" fill="{item.colour}" {face}>{escape(item.text)}</text>'
        case Clip():
            return _svg_clip(item, numbers)


def _svg_clip(clip: Clip, numbers: count[int]) -> str:
    name = f"window{next(numbers)}"
    x, y, width, height = clip.window
    window = f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
    body = "\n".join(_svg_item(item, numbers) for item in clip.items)
    shift = f"translate({clip.at[0] - x:g} {clip.at[1] - y:g})"
    return (
        f'<clipPath id="{name}">{window}</clipPath>\n'
        f'<g transform="{shift}"><g clip-path="url(#{name})">\n{body}\n</g></g>'
    )


def _svg_paint(item: Shape | DrawnDisc) -> str:
    stroke = f' stroke="{item.line}" stroke-width="{item.width:g}"' if item.line else ""
    return f' fill="{item.fill or "none"}"{stroke}'


MM_PER_INCH = 25.4
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def png_file(sheet: Sheet, dpi: int = DPI) -> bytes:
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
        # a pixel belongs to the shape if its centre does; fillPoly paints the far edge too: half a pixel less
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
