"""`referee print`: mats, stones and the calibration board at true size."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device import games
from device.cli.common import AsJson

PANEL = "Wiring"


class What(StrEnum):
    MAT = "mat"
    STONES = "stones"
    CALIBRATION = "calibration"


class Form(StrEnum):
    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


class Paper(StrEnum):
    WHOLE = "whole"
    A4 = "a4"


def command(
    what: Annotated[What, typer.Argument(help="What to print.")],
    game: Annotated[str, typer.Option("--game", "-g", help="The game that it is for.")] = "tellstones",
    form: Annotated[Form, typer.Option("--format", "-f", help="PDF for all sheets, or a picture a sheet.")] = Form.PDF,
    *,
    paper: Annotated[Paper, typer.Option(help="Whole sheets, or cut up for A4.")] = Paper.WHOLE,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Print mats, stones or the calibration board at true size; --json tells their geometry instead."""
    from device.printing import document

    spec = games.spec(game)
    if as_json:
        typer.echo(msgspec.json.encode(document.geometry(what.value, spec)).decode())
        return
    pages = document.sheets(what.value, spec, paper.value)
    files = document.render(pages, form.value, f"{game} {what.value}")
    for path in document.write(files, out):
        typer.echo(str(path))
