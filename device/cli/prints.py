"""`referee print`: prints mats, stones, cards and the calibration board at true size."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import typer

from device import games
from device.cli.common import AsJson, known_language, writing

PANEL = "Wiring"

Part: TypeAlias = Literal["mat", "plan", "stones", "cards", "calibration", "all"]
PARTS: tuple[Part, ...] = ("mat", "plan", "stones", "cards", "calibration", "all")


class Form(StrEnum):
    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


class Paper(StrEnum):
    WHOLE = "whole"
    A4 = "a4"
    LETTER = "letter"


def _wanted(what: str, game: str | None) -> tuple[Part, str]:
    """Which part of which game. Raises typer.BadParameter."""
    if what not in games.specs():
        return _part(what), game or "tellstones"
    if game not in (None, what):
        raise typer.BadParameter(f"{what} is a game already: leave it away", param_hint="--game")
    return "all", what


def _part(given: str) -> Part:
    for part in PARTS:
        if given == part:
            return part
    names = ", ".join((*PARTS, *games.specs()))
    raise typer.BadParameter(f"there is no {given} to print; there are {names}")


def command(
    what: Annotated[str, typer.Argument(help="mat, plan, stones, cards, calibration, all; or a game: all of it.")],
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game that it is for.", show_default="tellstones"),
    ] = None,
    form: Annotated[Form, typer.Option("--format", "-f", help="PDF for all sheets, or a picture a sheet.")] = Form.PDF,
    *,
    paper: Annotated[Paper, typer.Option(help="Mats whole, or cut up for A4 or US Letter.")] = Paper.WHOLE,
    language: Annotated[str, typer.Option(help="Of cards and plans: en, zh_Hant, zh_Hans or ru.")] = "en",
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Print mats, stones, cards or the calibration board at true size; --json tells their geometry instead.

    The plan of a mat says what lies where on it.
    """
    from device.printing import document

    if out.suffix.lstrip(".") in tuple(Form):
        raise typer.BadParameter(f"{out} is no folder: the sheets are files of their own below one", param_hint="--out")
    part, game = _wanted(what, game)
    language = known_language(language)
    spec = games.spec(game)
    if as_json:
        typer.echo(msgspec.json.encode(document.geometry(part, spec)).decode())
        return
    pages = document.sheets(part, spec, paper.value, language)
    title = part if part == "calibration" else f"{game} {part}"
    files = document.render(pages, form.value, title if paper is Paper.WHOLE else f"{title} {paper}")
    with writing(out):
        written = document.write(files, out)
    for path in written:
        typer.echo(str(path))
