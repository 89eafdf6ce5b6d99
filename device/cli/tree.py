"""Builds the tree of commands, or the branch of it that one command needs: all of it takes seconds to be read in."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from device import extensions
from device.version import version
from engine.errors import RefereeError

COMMANDS = (
    "run",
    "dark",
    "replay",
    "doctor",
    "setup",
    "enrol",
    "calibrate",
    "look",
    "owner",
    "print",
    "journal",
    "forget",
    "deck",
)
"""Our own commands, in the order of the help. Each is a module: see `device.extensions.Extension`."""

OURS = {name: f"device.cli.{'prints' if name == 'print' else name}" for name in COMMANDS}
"""The module of each of them. `print` is a function of Python, so that its module has another name."""


UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
"""The error of a command that is used wrongly. Typer exports only this subclass of it."""


class BrokenCommand(RefereeError, ImportError):
    """A command of an extension cannot be loaded."""


class Group(TyperGroup):
    """Commands whose name alone prints their help, as a success."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or (["--help"] if self.no_args_is_help else []))


class All(Group):
    """All commands. A name that none of them has may be that of an extension."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            error.message += " If an extension brings it, install that extension."
            raise


def tree(only: str | None = None) -> typer.Typer:
    """Return the command of that name alone, or all commands if there is none, with the options before the command."""
    modules = OURS if only in OURS else OURS | extensions.commands(frozenset(OURS))
    chosen = {name: path for name, path in modules.items() if name == only} or modules
    whole = chosen is modules
    made = typer.Typer(
        name="referee",
        cls=All,
        help="A referee for physical games: a camera, a few buttons, small displays, and the rules.",
        no_args_is_help=True,
        add_completion=whole,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    made.callback()(_options)
    for name, path in chosen.items():
        try:
            _add(made, name, path)
        except BrokenCommand as error:
            if not whole:
                raise
            _left_out(error)
    if whole:
        _add_games(made)
    return made


def _add(made: typer.Typer, name: str, path: str) -> None:
    """Add the command of a module. Raises BrokenCommand if it is an extension's and cannot be loaded."""
    try:
        module = importlib.import_module(path)
        if hasattr(module, "app"):
            made.add_typer(module.app, name=name, cls=Group, rich_help_panel=module.PANEL)
        else:
            made.command(name=name, rich_help_panel=module.PANEL)(module.command)
    except Exception as error:  # whatever the module of another distribution raises
        if name in OURS:
            raise
        raise BrokenCommand(f"the command {name} cannot be loaded ({error}): install its extension again") from error


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
