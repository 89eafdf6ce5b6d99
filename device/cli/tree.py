"""Builds the command tree, or one branch to save import time."""

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
    "pictures",
    "forget",
    "deck",
)
"""Built-in commands in help order; see `device.extensions.Extension`."""

OURS = {name: f"device.cli.{'prints' if name == 'print' else name}" for name in COMMANDS}
"""Each command's module."""


UsageError: type[typer.BadParameter] = typer.BadParameter.__bases__[0]
"""Typer's usage error, of which it exports only a subclass."""


class BrokenCommand(RefereeError, ImportError):
    """An extension's command can't be loaded."""


class Group(TyperGroup):
    """A command group; prints help without arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or (["--help"] if self.no_args_is_help else []))


class All(Group):
    """All commands; suggests extensions for unknown ones."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except UsageError as error:
            error.message += " If an extension brings it, install that extension."
            raise


def tree(only: str | None = None) -> typer.Typer:
    """Return the named command, or all for another name, with the global options. Raises BrokenCommand if it can't be
    loaded; among all, such are left out and named on standard error."""
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
    try:
        module = importlib.import_module(path)
        if hasattr(module, "app"):
            made.add_typer(module.app, name=name, cls=Group, rich_help_panel=module.PANEL)
        else:
            made.command(name=name, rich_help_panel=module.PANEL)(module.command)
    except Exception as error:  # anything another distribution's module raises
        if name in OURS:
            raise
        raise BrokenCommand(f"the command {name} cannot be loaded ({error}): install its extension again") from error


def _add_games(made: typer.Typer) -> None:
    from device.cli.deck import PANEL

    for name, commands in _of_games():
        made.add_typer(commands, name=name, cls=Group, rich_help_panel=PANEL)


def _of_games() -> Iterator[tuple[str, typer.Typer]]:
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
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """The options before the command."""
