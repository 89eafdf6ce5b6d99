"""`referee doctor`: reports which parts of the wiring answer."""

from __future__ import annotations

import msgspec
import typer
from rich.console import Console

from device.cli.common import AsJson, TablePath, table_settings

PANEL = "Wiring"


def command(table: TablePath = None, as_json: AsJson = False) -> None:
    """Check that every pin, bus and display and the camera answers, and tell what to do if not (exit code 1)."""
    from device.doctor import examine

    console, well = Console(soft_wrap=True, highlight=False), True
    for finding in examine(table_settings(table)):
        well &= finding.ok
        if as_json:
            typer.echo(msgspec.json.encode(finding).decode())
            continue
        mark = "[green]ok [/green]" if finding.ok else "[red]NO [/red]"
        console.print(f"{mark} {finding.key}: {finding.found}")
        if finding.remedy:
            console.print(f"      {finding.remedy}")
    raise typer.Exit(0 if well else 1)
