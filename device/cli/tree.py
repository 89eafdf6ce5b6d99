"""Builds the tree of commands, or the branch of it that one command needs: all of it takes seconds to be read in."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from device.version import version

COMMANDS = (
    "run",
    "simulate",
    "pages",
    "herald",
    "club",
    "dark",
    "replay",
    "verify",
    "key",
    "doctor",
    "setup",
    "enrol",
    "calibrate",
    "evaluate",
    "look",
    "conformance",
    "owner",
    "print",
    "journal",
    "forget",
    "deck",
)
"""In the order of the help; each is a module of its own, with its `PANEL` and a `command`, or an `app` of several."""

GROUPS = ("club", "owner", "journal", "deck")
"""Those of several."""

MODULES = {"print": "prints"}
"""Of the name that Python has something else for."""


class Group(TyperGroup):
    """Commands whose name alone prints their help, as a success."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or (["--help"] if self.no_args_is_help else []))


def tree(only: str | None = None) -> typer.Typer:
    """All commands, or one of `COMMANDS` alone, with the options before the command."""
    made = typer.Typer(
        name="referee",
        cls=Group,
        help="A referee for physical games: a camera, a few buttons, small displays, and the rules.",
        no_args_is_help=True,
        add_completion=only is None,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    made.callback()(_options)
    for name in (only,) if only is not None else COMMANDS:
        module = importlib.import_module(f"device.cli.{MODULES.get(name, name)}")
        if name in GROUPS:
            made.add_typer(module.app, name=name, cls=Group, rich_help_panel=module.PANEL)
        else:
            made.command(name=name, rich_help_panel=module.PANEL)(module.command)
    if only is None:
        _add_games(made)
    return made


def _add_games(made: typer.Typer) -> None:
    from device.cli.deck import PANEL

    for name, commands in _of_games():
        made.add_typer(commands, name=name, cls=Group, rich_help_panel=PANEL)


def _of_games() -> Iterator[tuple[str, typer.Typer]]:
    """The commands of each game that has some. A game whose own cannot be had is told of and left out."""
    from device import games
    from engine.catalogue import commands
    from vision.files import BadFile

    for spec in games.specs(lambda _path, error: _left_out(error)).values():
        try:
            with games.importing(spec):
                own = commands(spec)
        except BadFile as error:
            _left_out(error)
            continue
        if own is not None:
            yield spec.name, own


def _left_out(error: Exception) -> None:
    typer.echo(f"left out: {error}", err=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"referee {version()}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, and end.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """The options before the command."""
