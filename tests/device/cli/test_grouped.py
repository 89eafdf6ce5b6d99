"""Options in structs: each field is an option, and the command gets the structs."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from referee_simulator.grouped import group_options


class Place(msgspec.Struct, frozen=True):
    town: Annotated[str, typer.Option("--town", "-t", help="Where.")] = "Ghent"
    far: Annotated[bool, typer.Option("--far")] = False


class Time(msgspec.Struct, frozen=True):
    days: Annotated[int, typer.Option(min=1)] = 1


HEARD: list[object] = []


@group_options
def travel(place: Place, time: Time) -> None:
    """Go somewhere."""
    HEARD[:] = place, time


app = typer.Typer()
app.command()(travel)


@pytest.mark.parametrize(
    ("arguments", "place", "time"),
    [
        ((), Place(), Time()),
        (("-t", "Pau", "--days", "3"), Place("Pau"), Time(3)),
        (("--far",), Place(far=True), Time()),
    ],
)
def test_each_struct_gets_its_options(arguments: tuple[str, ...], place: Place, time: Time) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert [place, time] == HEARD


def test_options_are_checked_and_helped_with_as_ever() -> None:
    assert CliRunner().invoke(app, ["--days", "0"]).exit_code == 2
    assert "Go somewhere" in CliRunner().invoke(app, ["--help"]).output
