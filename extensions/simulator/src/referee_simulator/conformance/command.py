"""`referee conformance`: checks that a game does what the referee relies on, and grades it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import track

from device import games
from device.cli.common import AsJson

PANEL = "Games"


def command(
    game: Annotated[str, typer.Argument(help="The game's name, as it is installed.")],
    oracle: Annotated[
        str | None, typer.Option(help="A second implementation of its rules, MODULE:NAME, to compare with.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a game at random in every way that it names, say what it lacks, and grade it: bronze (every check passes),
    silver (a camera can referee it), gold (it explains itself, in all languages), platinum (a second implementation
    agrees). Exit code 1 if a check fails.
    """
    from referee_simulator.conformance import ways
    from referee_simulator.conformance.ladder import quality
    from referee_simulator.conformance.report import report

    compared = None if oracle is None else import_by_name(oracle)
    found = ways(games.spec(game))
    played = track(found, "ways played", console=Console(stderr=True), transient=True)
    made = [report(game, way) for way in played]
    reports, plays = [each for each, _ in made], [play for _, play in made if play is not None]
    graded = quality(plays, reports, compared)
    if as_json:
        typer.echo(msgspec.json.encode({"ways": reports, "quality": graded}).decode())
    for each in () if as_json else reports:
        typer.echo(f"{each.way}: {each.checks} checks over {each.matches} matches, {each.actions} actions")
        for lack in each.lacks:
            typer.echo(f"  lacking: {lack.check}\n    {lack.said}")
        for what in each.unchecked:
            typer.echo(f"  not checked: {what}")
    if not as_json:
        typer.echo(f"grade: {graded.grade}")
        for what in graded.missing:
            typer.echo(f"  for the next one: {what}")
    raise typer.Exit(1 if any(each.lacks for each in reports) else 0)


def import_by_name(name: str) -> Callable[..., Any]:
    """Return the object MODULE:NAME, also from the working directory. Raises typer.BadParameter without one."""
    module, _, attribute = name.partition(":")
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        found: Callable[..., Any] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise typer.BadParameter(f"{name} cannot be imported: {error}", param_hint="--oracle") from error
    finally:
        sys.path.remove(folder)
    return found
