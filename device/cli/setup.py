"""Runs `referee setup`: writes a table file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.prompt import Prompt
from rich.table import Table as RichTable

from device.cli.common import DEFAULT_TABLE
from device.settings import load, wizard
from device.settings.wiring_list import groups

PANEL = "Wiring"


def _refuse_closed(path: Path) -> None:
    """Refuse an unwritable file before asking questions."""
    there = next((each for each in (path, *path.absolute().parents) if each.exists()), path)
    if not os.access(there, os.W_OK):
        typer.echo(f"referee: {path} cannot be written: use sudo, or name another file", err=True)
        raise typer.Exit(2)


def command(path: Annotated[Path, typer.Argument(help="The table file to write.")] = DEFAULT_TABLE) -> None:
    """Write a table file: ask what is wired, and say which pin goes where."""
    _refuse_closed(path)
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder: name a file, such as {path / 'table.toml'}", param_hint="PATH")
    if path.exists() and _ask(f"{path} exists. Write it anew?", ("yes", "no"), "no") == "no":
        typer.echo(f"{path} stays as it is.")
        raise typer.Exit(1)
    answers = wizard.interview(_ask)
    try:
        wizard.write(path, wizard.compose(answers))
    except PermissionError as error:
        typer.echo(f"referee: {path} cannot be written ({error.strerror}): use sudo, or name another file", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"{path} is written. It wants these wires:")
    _list(path)
    typer.echo(f"As pictures: referee print wiring --table {path}")
    typer.echo(f"What of it answers, once it is wired: referee doctor --table {path}")


def _ask(question: str, values: Sequence[str], usual: str) -> str:
    return Prompt.ask(escape(question), choices=[*values], default=usual)


def _list(path: Path) -> None:
    table = RichTable("Part", "Contact", "To")
    for part in (part for group in groups(load(path)) for part in group.parts):
        address = "" if part.address is None else f" at 0x{part.address:02X}"
        for number, contact in enumerate(part.contacts):
            table.add_row("" if number else part.key + address, contact.name, str(contact))
        table.add_section()
    Console(markup=False).print(table)
