"""The tree of commands: `referee` and its subcommands."""

from __future__ import annotations

import importlib
import pkgutil
from importlib import metadata
from typing import Annotated

import typer

from device.cli import (
    calibrate,
    dark,
    deck,
    doctor,
    enrol,
    evaluate,
    games,
    journal,
    look,
    prints,
    replay,
    room,
    run,
    setup,
    simulate,
)

app = typer.Typer(
    name="referee",
    help="A referee for physical games: a camera, a few buttons, small displays, and the rules.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (run, simulate, room, dark, replay, doctor, setup, enrol, calibrate, evaluate, look):
    app.command(name=command.__name__.rpartition(".")[2], rich_help_panel=command.PANEL)(command.command)
app.command(name="print", rich_help_panel=prints.PANEL)(prints.command)
app.add_typer(journal.app, name="journal", rich_help_panel=journal.PANEL)
app.add_typer(deck.app, name="deck", rich_help_panel=deck.PANEL)
for found in pkgutil.iter_modules(games.__path__):
    own = importlib.import_module(f"{games.__name__}.{found.name}")
    app.add_typer(own.app, name=found.name, rich_help_panel=deck.PANEL)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"referee {_version()}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, and end.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """The options before the command."""


def _version() -> str:
    try:
        return metadata.version("table-referee")
    except metadata.PackageNotFoundError:
        return "from a checkout that is not installed"
