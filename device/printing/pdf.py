"""Writes sheets as a true-size PDF (unit 1/72 inch, y up)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import FILL_EVEN_ODD, Canvas

from device.printing.drawing import Clip, DrawnDisc, Item, Label, Shape, Sheet


def render(sheets: tuple[Sheet, ...], title: str) -> bytes:
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
            _paint(canvas, item)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _paint(canvas: Any, item: Item) -> None:
    match item:
        case Shape():
            _pens(canvas, item)
            path = canvas.beginPath()
            for (x, y), *rest in item.outlines:
                path.moveTo(x, y)
                for point in rest:
                    path.lineTo(*point)
                path.close()
            canvas.drawPath(path, stroke=int(bool(item.line)), fill=int(bool(item.fill)), fillMode=FILL_EVEN_ODD)
        case DrawnDisc():
            _pens(canvas, item)
            canvas.circle(*item.centre, item.radius, stroke=int(bool(item.line)), fill=int(bool(item.fill)))
        case Label():
            _write(canvas, item)
        case Clip():
            _part(canvas, item)


def _pens(canvas: Any, item: Shape | DrawnDisc) -> None:
    if item.fill:
        canvas.setFillColor(HexColor(item.fill))
    if item.line:
        canvas.setStrokeColor(HexColor(item.line))
        canvas.setLineWidth(item.width)


def _write(canvas: Any, label: Label) -> None:
    canvas.saveState()
    canvas.translate(*label.at)
    canvas.scale(1, -1)
    canvas.setFillColor(HexColor(label.colour))
    canvas.setFont("Helvetica", label.height)
    draw = {"start": canvas.drawString, "middle": canvas.drawCentredString, "end": canvas.drawRightString}
    draw[label.anchor](0, 0, label.text)
    canvas.restoreState()


def _part(canvas: Any, clip: Clip) -> None:
    x, y, width, height = clip.window
    canvas.saveState()
    canvas.translate(clip.at[0] - x, clip.at[1] - y)
    window = canvas.beginPath()
    window.rect(x, y, width, height)
    canvas.clipPath(window, stroke=0, fill=0)
    for item in clip.items:
        _paint(canvas, item)
    canvas.restoreState()
