"""`referee conformance`: checks that a game does what the referee relies on."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from device import games
from device.cli.common import AsJson

PANEL = "Games"


def command(
    game: Annotated[str, typer.Argument(help="The game's name, as it is installed.")],
    as_json: AsJson = False,
) -> None:
    """Play a game at random in every way that it names, and say in sentences what it lacks. Exit code 1 if anything."""
    from referee_simulator.conformance import ways
    from referee_simulator.conformance.report import report

    made = [report(game, way) for way in ways(games.spec(game))]
    if as_json:
        typer.echo(msgspec.json.encode(made).decode())
    for each in () if as_json else made:
        typer.echo(f"{each.way}: {each.checks} checks over {each.matches} matches, {each.actions} actions")
        for lack in each.lacks:
            typer.echo(f"  lacking: {lack.check}\n    {lack.said}")
        for what in each.unchecked:
            typer.echo(f"  not checked: {what}")
    raise typer.Exit(1 if any(each.lacks for each in made) else 0)
