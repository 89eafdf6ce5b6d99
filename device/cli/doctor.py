"""Runs `referee doctor`: tests the wiring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from device.cli.common import AsJson, TablePath, table_settings, writing
from device.settings.table import TableSettings

if TYPE_CHECKING:
    from device.doctor import Finding

PANEL = "Wiring"


def command(
    table: TablePath = None,
    as_json: AsJson = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Also write FILE: machine, versions, timings and all findings, to send to the project."),
    ] = None,
) -> None:
    """Check that every pin, bus and display and the camera answers, and tell what to do if not (exit code 1).

    A service that runs is asked for what it holds; to try the pins themselves stop it first.
    """
    from device.doctor import examine

    console, findings, settings = Console(soft_wrap=True, highlight=False), [], table_settings(table)
    for finding in examine(settings):
        findings.append(finding)
        if as_json:
            typer.echo(msgspec.json.encode(finding).decode())
            continue
        mark = ("ok ", "green") if finding.ok else ("NO ", "red")
        console.print(Text.assemble(mark, f" {finding.key}: {finding.found}"))
        if finding.remedy:
            console.print(Text(f"      {finding.remedy}"))
    if report is not None:
        _write(report, settings, findings)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


def _write(path: Path, settings: TableSettings, findings: list[Finding]) -> None:
    from device.doctor_report import gather
    from device.version import version

    with writing(path):
        path.write_bytes(msgspec.json.format(msgspec.json.encode(gather(settings, findings, version())), indent=1))
    typer.echo(f"{path}: written, with nothing of a match in it", err=True)
