"""Draws the icons of the installed table in a tab from the pages' icon.svg, and writes its manifest."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import msgspec
from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path
from PIL import Image, ImageDraw

SIZES = (192, 512)
"""Pixels that browsers ask for."""

MASKABLE = 512
"""Pixels of the icon without round corners, of which a phone cuts its own shape."""

FINER = 4
"""Times that the drawing is larger than the icon, for smooth edges."""

GROUND = "#f2efe8"
"""The pages' ground (style.css), shown while the table starts."""


def manifest_files(svg: bytes) -> dict[str, bytes]:
    """Return the manifest and its icons by path. svg: of the icon, made of rect, circle and path with lines alone."""
    drawing = ElementTree.fromstring(svg)
    icons = {f"icon-{size}.png": draw_icon(drawing, size, cut=True) for size in SIZES}
    whole = f"icon-whole-{MASKABLE}.png"
    listed = [{"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"} for size in SIZES]
    listed.append({"src": whole, "sizes": f"{MASKABLE}x{MASKABLE}", "type": "image/png", "purpose": "maskable"})
    manifest = {
        "name": "Table referee",
        "short_name": "Referee",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": GROUND,
        "theme_color": drawing[0].attrib["fill"],
        "icons": listed,
    }
    return {
        "manifest.webmanifest": msgspec.json.encode(manifest),
        whole: draw_icon(drawing, MASKABLE, cut=False),
        **icons,
    }


def draw_icon(drawing: ElementTree.Element, size: int, *, cut: bool) -> bytes:
    """Return the icon as a PNG of size x size pixels. cut: with round corners."""
    scale = size * FINER / float(drawing.attrib["viewBox"].split()[2])
    picture = Image.new("RGBA", (size * FINER, size * FINER))
    brush = ImageDraw.Draw(picture)
    for part in drawing:
        kind, fill = part.tag.rpartition("}")[2], part.attrib["fill"]
        number = {name: float(text) * scale for name, text in part.attrib.items() if name not in {"fill", "d"}}
        if kind == "rect":
            corner = (number["width"], number["height"])
            brush.rounded_rectangle(((0, 0), corner), number["rx"] if cut else 0, fill)
        elif kind == "circle":
            brush.circle((number["cx"], number["cy"]), number["r"], fill)
        elif kind == "path":
            brush.polygon([(x * scale, y * scale) for x, y in _corners(part.attrib["d"])], fill)
        else:
            raise ValueError(f"icon.svg has a {kind}")
    written = io.BytesIO()
    picture.resize((size, size), Image.Resampling.BOX).save(written, "PNG", optimize=True)
    return written.getvalue()


def _corners(path: str) -> list[tuple[float, float]]:
    pen = RecordingPen()
    parse_path(path, pen)
    lines = [points for name, points in pen.value if name in {"moveTo", "lineTo"}]
    return [point for (point,) in lines]
