"""Draws mats, plans, pieces and the calibration board at true size, as files or geometry."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from device.printing import formats, mat, pieces
from device.printing.drawing import A4, DPI, LETTER, Sheet, tile
from engine.catalogue import GameSpec
from engine.errors import Invalid
from engine.text import say
from vision.files import write_whole
from vision.registration.lens import CalibrationBoard

__all__ = ["Format", "Paper", "What", "geometry", "mats", "render", "sheets", "write"]

What: TypeAlias = Literal["mat", "plan", "stones", "cards", "calibration", "all"]
"""plan: labels of the mats' places. all: everything for a game."""

Format: TypeAlias = Literal["pdf", "svg", "png"]
Paper: TypeAlias = Literal["whole", "a4", "letter"]
"""whole: mats at full size, the rest on A4."""

SIZES = {"whole": A4, "a4": A4, "letter": LETTER}


def mats(spec: GameSpec) -> tuple[str, ...]:
    """Return the game's mats. Raises Invalid if it has none."""
    names = tuple(dict.fromkeys(table.mat for table in spec.tables if table.mat is not None))
    if not names:
        raise Invalid(say("{game} needs no mat.", game=spec.title))
    return names


def sheets(
    what: What, spec: GameSpec, paper: Paper = "whole", language: str = "en", on: tuple[str, ...] = ()
) -> tuple[Sheet, ...]:
    """Return the sheets, tiled for smaller paper. on: wanted mats and their pieces; all if empty.

    Raises Invalid if the game has no such part.
    """
    size = SIZES[paper]
    on = on if on or what == "calibration" else mats(spec)
    match what:
        case "all":
            found: Iterable[Sheet] = (page for part in _parts(spec) for page in sheets(part, spec, paper, language, on))
        case "cards":
            found = (page for name in _card_sets(spec, on) for page in pieces.sheets(name, language, size))
        case "mat" if paper == "whole":
            found = (mat.sheet(mat.load(name)) for name in on)
        case "mat":
            whole = (mat.sheet(mat.load(name), measured=False) for name in on)
            found = (page for sheet in whole for page in tile(sheet, size, language))
        case "plan":
            found = (mat.plan_sheet(spec, name, language, size) for name in on)
        case "stones":
            found = (
                pieces.stone_sheet(name, size, language, copy)
                for name in _sets(spec, on)
                for copy in range(1, _copies(name, on) + 1)
            )
        case "calibration":
            found = (mat.board_sheet(CalibrationBoard(), size, language),)
    return tuple(found)


def geometry(what: What, spec: GameSpec, paper: Paper = "whole") -> dict[str, Any]:
    """Return the JSON geometry in mm, other mats under `others`. Raises Invalid if the game has no such part."""
    size = SIZES[paper]
    match what:
        case "all":
            parts = {part: geometry(part, spec, paper) for part in _parts(spec) if part != "plan"}
            return {"game": spec.name, "parts": parts}
        case "cards":
            return {"game": spec.name, "sets": [pieces.geometry(name, size) for name in _card_sets(spec, mats(spec))]}
        case "mat" | "plan":
            first, *others = (mat.geometry(mat.load(name)) for name in mats(spec))
            return {"game": spec.name, **first, "others": others}
        case "stones":
            return {"game": spec.name, "sets": [pieces.stone_geometry(name, size) for name in _sets(spec, mats(spec))]}
        case "calibration":
            return {"game": spec.name, **mat.board_geometry(CalibrationBoard(), size)}


def render(pages: tuple[Sheet, ...], form: Format, title: str, dpi: int = DPI) -> tuple[tuple[str, bytes], ...]:
    """Return names and files: one PDF, or an SVG or PNG per page."""
    if form == "pdf":
        return ((f"{_word(title)}.pdf", formats.pdf_file(pages, title)),)
    draw = formats.svg_file if form == "svg" else partial(formats.png_file, dpi=dpi)
    return tuple((f"{_word(page.name)}.{form}", draw(page)) for page in pages)


def write(files: Iterable[tuple[str, bytes]], folder: Path) -> tuple[Path, ...]:
    """Write files into a folder, made if missing. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, data in files:
        path = folder / name
        write_whole(path, data)
        paths.append(path)
    return tuple(paths)


def _parts(spec: GameSpec) -> tuple[What, ...]:
    found: list[What] = ["mat", "plan"]
    lying = _piece_sets(mats(spec))
    if any(pieces.has_stone_drawings(name) for name in lying):
        found.append("stones")
    if any(pieces.has_drawings(name) for name in lying):
        found.append("cards")
    return tuple(found)


def _piece_sets(on: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(zone.set for name in on for zone in mat.load(name).zones))


def _card_sets(spec: GameSpec, on: tuple[str, ...]) -> tuple[str, ...]:
    drawn = tuple(name for name in _piece_sets(on) if pieces.has_drawings(name))
    if not drawn:
        raise Invalid(say("{game} has no cards to print.", game=spec.title))
    return drawn


def _sets(spec: GameSpec, on: tuple[str, ...]) -> tuple[str, ...]:
    drawn = tuple(name for name in _piece_sets(on) if pieces.has_stone_drawings(name))
    if not drawn:
        raise Invalid(say("{game} has no pieces to print.", game=spec.title))
    return drawn


def _copies(name: str, on: tuple[str, ...]) -> int:
    return max(own.copies for own in map(mat.load, on) if any(zone.set == name for zone in own.zones))


def _word(name: str) -> str:
    return name.lower().replace(" ", "-")
