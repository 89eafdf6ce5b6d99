"""`referee setup`: a table file from a few questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.prompt import Prompt

from device.cli.common import DEFAULT_TABLE
from device.settings import wizard

PANEL = "Wiring"


def command(path: Annotated[Path, typer.Argument(help="The table file to write.")] = DEFAULT_TABLE) -> None:
    """Write a table file: ask what is wired, and say which pin goes where."""
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder: name a file, such as {path / 'table.toml'}", param_hint="PATH")
    if path.exists() and Prompt.ask(f"{path} exists. Write it anew?", choices=["yes", "no"], default="no") == "no":
        raise typer.Exit(1)
    answers = wizard.interview(lambda question, values, usual: Prompt.ask(question, choices=[*values], default=usual))
    try:
        wizard.write(path, wizard.compose(answers))
    except PermissionError as error:
        typer.echo(f"referee: {path} cannot be written ({error.strerror}): use sudo, or name another file", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"{path} is written. What of it answers: referee doctor --table {path}")
