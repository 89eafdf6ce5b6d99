"""Runs `referee print`: true-size sheets and wiring pictures."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import typer

from device import games
from device.cli.common import AsJson, TablePath, known_language, table_settings, writing
from device.locale import LANGUAGES
from device.printing.drawing import DPI, Sheet
from device.settings import template
from device.settings.wiring_list import groups

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


WIRING = "wiring"
TEMPLATES = ("one-oled", "two-seats", "four-seats")


def _part_and_game(what: str, game: str | None) -> tuple[Part, str]:
    if what not in games.specs():
        return _part(what), game or games.usual()
    if game not in (None, what):
        raise typer.BadParameter(f"{what} is a game already: leave it away", param_hint="--game")
    return "all", what


def _part(given: str) -> Part:
    for part in PARTS:
        if given == part:
            return part
    names = ", ".join((*PARTS, WIRING, *games.specs()))
    raise typer.BadParameter(f"there is no {given} to print; there are {names}")


def command(
    what: Annotated[
        str, typer.Argument(help="mat, plan, stones, cards, calibration, all; a game: all of it; or wiring.")
    ],
    game: Annotated[
        str | None,
        typer.Option("--game", "-g", help="The game that it is for.", show_default="the usual one"),
    ] = None,
    form: Annotated[Form, typer.Option("--format", "-f", help="PDF for all sheets, or a picture a sheet.")] = Form.PDF,
    *,
    paper: Annotated[Paper, typer.Option(help="Mats whole, or cut up for A4 or US Letter.")] = Paper.WHOLE,
    dpi: Annotated[int, typer.Option(min=50, max=1200, help="Dots per inch of PNG pictures.")] = DPI,
    table: TablePath = None,
    language: Annotated[str, typer.Option(help=f"Language of the sheets: one of {', '.join(LANGUAGES)}.")] = "en",
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path(),
    more: Annotated[
        list[str] | None,
        typer.Option("--with", help="A mat for other rules or more players, by its name; give it once for each."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All mats of the game, not only the usual one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print mats, stones, cards or the calibration board at true size; --json prints their geometry instead.

    Of several mats, the usual one is printed with what lies on it; the others are named, and --with or --all prints
    them. A mat's plan shows what lies where. The wiring is drawn from the table file, a page for each seat; `--table
    two-seats` takes a shipped file, and so do one-oled and four-seats.
    """
    from device import printing

    if out.suffix.lstrip(".") in tuple(Form):
        raise typer.BadParameter(f"{out} is no folder: the sheets are files of their own below one", param_hint="--out")
    language = known_language(language)
    if what == WIRING:
        title, geometry, pages = _wiring(table, language, paper)
    else:
        title, geometry, pages = _sheets(what, game, language, paper, None if every else tuple(more or ()))
    if as_json:
        typer.echo(msgspec.json.encode(geometry()).decode())
        return
    files = printing.render(pages(), form.value, title if paper is Paper.WHOLE else f"{title} {paper}", dpi)
    with writing(out):
        written = printing.write(files, out)
    for path in written:
        typer.echo(str(path))


Printed: TypeAlias = tuple[str, Callable[[], object], Callable[[], tuple[Sheet, ...]]]
"""A title, and functions that make the geometry and sheets."""


def _sheets(what: str, game: str | None, language: str, paper: Paper, more: tuple[str, ...] | None) -> Printed:
    from device import printing

    part, game = _part_and_game(what, game)
    spec = games.spec(game)
    title = part if part == "calibration" else f"{game} {part}"

    def pages() -> tuple[Sheet, ...]:
        if part == "calibration":
            return printing.sheets(part, spec, paper.value, language)
        usual, *others = printing.mats(spec)
        for name in more or ():
            if name not in others:
                raise typer.BadParameter(_no_mat(name, game, others), param_hint="--with")
        on = (usual, *(name for name in others if more is None or name in more))
        found = printing.sheets(part, spec, paper.value, language, on)
        for name in others:
            if name not in on:
                left = len(printing.sheets(part, spec, paper.value, language, (*on, name))) - len(found)
                if left:
                    typer.echo(_left_out(name, left), err=True)
        return found

    return title, partial(printing.geometry, part, spec, paper.value), pages


def _no_mat(name: str, game: str, others: list[str]) -> str:
    there = f"there are {', '.join(others)}" if others else "it has the usual one alone"
    return f"{game} has no other mat {name}; {there}"


def _left_out(name: str, sheets: int) -> str:
    from device.printing import mat

    count = "1 sheet" if sheets == 1 else f"{sheets} sheets"
    return f"Left out: {mat.load(name).title} ({count}). --with {name} prints it, too, --all prints everything."


def _wiring(table: Path | None, language: str, paper: Paper) -> Printed:
    from device import printing
    from device.printing import wiring

    shipped = table is not None and not table.exists() and str(table) in TEMPLATES
    settings = table_settings(template(str(table)) if shipped else table)
    return (
        WIRING,
        lambda: groups(settings),
        lambda: wiring.sheets(settings, language, printing.SIZES[paper.value]),
    )
