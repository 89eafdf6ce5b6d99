"""Runs `referee dark`: switches off displays left lit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PANEL = "At the table"


def command(
    note: Annotated[Path, typer.Argument(help="Where the daemon wrote down which displays it lights.")] = Path(
        "/run/referee/lit"
    ),
) -> None:
    """Switch off displays that a killed daemon left lit. The service runs it whenever the daemon ends."""
    from device.displays.switch_off import switch_off

    raise typer.Exit(1 if switch_off(str(note)) else 0)
