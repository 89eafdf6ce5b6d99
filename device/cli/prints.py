"""`referee print`: mats, stones, cards and the calibration board at true size."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import typer

from device import games
from device.cli.common import AsJson, known_language, writing

PANEL = "Wiring"

Part: TypeAlias = Literal["mat", "stones", "cards", "calibration", "all"]
PARTS: tuple[Part, ...] = ("mat", "stones", "cards", "calibration", "all")


class Form(StrEnum):
    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


class Paper(StrEnum):
    WHOLE = "whole"
    A4 = "a4"


def _part(given: str) -> Part:
    for part in PARTS:
        if given == part:
            return part
    names = ", ".join((*PARTS, *games.specs()))
    raise typer.BadParameter(f"there is no {given} to print; there are {names}")


def command(
    what: Annotated[str, typer.Argument(help="mat, stones, cards, calibration, all; or a game: all of it.")],
    game: Annotated[str, typer.Option("--game", "-g", help="The game that it is for.")] = "tellstones",
    form: Annotated[Form, typer.Option("--format", "-f", help="PDF for all sheets, or a picture a sheet.")] = Form.PDF,
    *,
    paper: Annotated[Paper, typer.Option(help="Whole sheets, or cut up for A4.")] = Paper.WHOLE,
    language: Annotated[str, typer.Option(help="Of the cards: en, zh_Hant, zh_Hans or ru.")] = "en",
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Print mats, stones, cards or the calibration board at true size; --json tells their geometry instead."""
    from device.printing import document

    if out.suffix.lstrip(".") in tuple(Form):
        raise typer.BadParameter(f"{out} is no folder: the sheets are files of their own below one", param_hint="--out")
    if what in games.specs():
        what, game = "all", what
    part = _part(what)
    language = known_language(language)
    spec = games.spec(game)
    if as_json:
        typer.echo(msgspec.json.encode(document.geometry(part, spec)).decode())
        return
    pages = document.sheets(part, spec, paper.value, language)
    files = document.render(pages, form.value, f"{game} {part}")
    with writing(out):
        written = document.write(files, out)
    for path in written:
        typer.echo(str(path))
