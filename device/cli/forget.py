"""Runs `referee forget`: deletes a person's name from the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from device.bus.endpoints import alone
from device.cli.common import TablePath, as_owner_of
from device.journal import Journal

PANEL = "At the table"


def command(
    name: Annotated[str, typer.Argument(help="The player's name. Capital letters do not matter.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", "-j", help="The journal. Without it the one of the table file.", show_default=False),
    ] = None,
    table: TablePath = None,
) -> None:
    """Remove a person's name from all matches, and from the names that the table offers. It cannot be undone.

    The matches stay, under the seat's letter, and their signed records stay valid: no name is in them. The referee must
    not be running; while it runs, the owner's page does the same.
    """
    from device.cli.journal import existing
    from device.daemon.forgetting import forget

    path = existing(journal, table)
    if not yes:
        typer.confirm(f"Remove the name {name} from all matches? This cannot be undone", abort=True)
    with as_owner_of(path.parent), alone(path.parent), Journal(path) as opened:
        found = forget(opened, name)
        opened.compact()
    typer.echo(f"{name} is forgotten. Matches that had the name: {found}.")
    for copy in sorted(path.parent.glob(f"{path.name}.damaged-*")):
        typer.echo(f"{copy} was put aside damaged and may still have the name: delete it.")
    typer.echo(
        "Files that were saved from the table keep the name. A club that this table reported to has its own copy: "
        "run `referee club forget` there. Restart the herald, if there is one: sudo systemctl restart referee-herald"
    )
