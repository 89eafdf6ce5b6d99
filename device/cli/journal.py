"""`referee journal`: lists, exports and imports matches as text, and salvages a damaged journal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from device.cli import records
from device.cli.common import TablePath, table_settings, writing
from device.cli.records import RecordError
from device.daemon.alone import alone
from device.journal import Archive, Journal, JournalDamaged, JournalError, JournalNewer
from device.journal.salvage import salvage as salvaged
from engine import notation
from engine.entry import Entry, Start
from vision.files import write_whole

PANEL = "Records and figures"
app = typer.Typer(help="List, export and import matches, and save those of a damaged journal.", no_args_is_help=True)

File = Annotated[
    Path | None,
    typer.Option("--journal", "-j", help="The journal. Without it the one of the table file.", show_default=False),
]


@app.command("list")
def listing(journal: File = None, table: TablePath = None) -> None:
    """List the matches."""
    with _read_only(journal, table) as opened:
        for number in opened.matches():
            current = "  (not finished)" if number == opened.current else ""
            typer.echo(f"{number:5}  {_summary(opened, number)}{current}")


@app.command()
def export(
    match: Annotated[int | None, typer.Argument(help="The match; without it the last one.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file; without it standard output.")] = None,
    journal: File = None,
    table: TablePath = None,
) -> None:
    """Write a match as text (docs/notation.md)."""
    with _read_only(journal, table) as opened:
        numbers = opened.matches()
        number = match if match is not None else (numbers[-1] if numbers else None)
        if number is None:
            raise JournalError(f"{opened.path} holds no match yet")
        if number not in numbers:
            raise JournalError(f"{opened.path} has no match {number}; `referee journal list` lists them")
        text = notation.write(opened.entries(number))
    if out is None:
        sys.stdout.write(text)
    else:
        with writing(out):
            write_whole(out, text.encode())


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A record, as `referee journal export` writes it.")],
    journal: File = None,
    table: TablePath = None,
) -> None:
    """Put a match from a text into the journal; without one a new one is made. If a line is refused, none is kept."""
    entries, path = _entries(file), _path(journal, table)
    with alone(path.parent), Journal(path) as opened:
        number = opened.add(entries)
    typer.echo(f"match {number}: {len(entries)} entries")


@app.command()
def salvage(path: Annotated[Path, typer.Argument(help="The damaged journal.")]) -> None:
    """Save what is intact in a damaged journal; the damaged file is kept. The referee must not be running."""
    with alone(path.parent):
        found = salvaged(path)
    if not found.entries:
        typer.echo(f"referee: nothing in {path} is whole; it is kept as {found.kept_as}, a new one is empty", err=True)
        raise typer.Exit(1)
    typer.echo(
        f"{found.entries} entries of {found.matches} matches saved, {found.damaged} not whole. "
        f"The damaged file is kept as {found.kept_as}."
    )


def _path(journal: Path | None, table: Path | None) -> Path:
    return journal or table_settings(table).state_dir / "journal.db"


def _read_only(journal: Path | None, table: Path | None) -> Archive:
    """Nothing is written: matches can be fetched off a disk that is dying."""
    path = _path(journal, table)
    if not path.exists():
        raise JournalError(f"{path} does not exist: name the journal with --journal, or the table with --table")
    return Archive(path)


def _summary(archive: Archive, number: int) -> str:
    """What one match is. That one cannot be read hides none of the others."""
    try:
        entries = archive.entries(number)
    except JournalNewer:
        return "recorded by a newer referee"
    except JournalDamaged:
        return "damaged: `referee journal salvage` saves what is whole"
    start = entries[0]
    return f"{start.game if isinstance(start, Start) else '?'}  {len(entries)} entries"


def _entries(file: Path) -> tuple[Entry, ...]:
    game, record = records.read(file)
    entries: list[Entry] = [record.start]
    for played in records.played(file, game, record):
        if played.entry is None:
            why = played.error.text if played.error else ""
            raise RecordError(f"{file}, line {played.line.number}: {why}")
        entries.append(played.entry)
    return tuple(entries)
