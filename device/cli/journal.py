"""`referee journal`: lists, exports and imports matches as text, and salvages a damaged journal."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli import records
from device.cli.common import AsJson, TablePath, table_settings, writing
from device.cli.matches import catalogue, line
from device.cli.records import RecordError
from device.daemon.alone import alone
from device.daemon.identity import with_end
from device.journal import About, Archive, Journal, JournalDamaged, JournalError
from device.journal.salvage import salvage as salvaged
from device.journal.witness import beside
from engine.entry import Entry
from vision.files import write_whole

PANEL = "Records and figures"
app = typer.Typer(help="List, export and import matches, and save those of a damaged journal.", no_args_is_help=True)

File = Annotated[
    Path | None,
    typer.Option("--journal", "-j", help="The journal. Without it the one of the table file.", show_default=False),
]


@app.command("list")
def listing(journal: File = None, table: TablePath = None, json: AsJson = False) -> None:
    """List the matches: game, seats, when, length, result; of a damaged journal what can be saved, with code 1."""
    path = _there(journal, table)
    found = catalogue(path)
    if json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        for each in found.matches:
            typer.echo(line(each))
        if found.fault:
            typer.echo(f"referee: {found.fault}", err=True)
    if found.fault:
        raise typer.Exit(1)


@app.command()
def export(
    match: Annotated[int | None, typer.Argument(help="The match; without it the last one.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file; without it standard output.")] = None,
    journal: File = None,
    table: TablePath = None,
    with_secrets: Annotated[
        bool,
        typer.Option(
            "--with-secrets",
            help="Also of a match that is not over: with the seed, which gives away every hidden card and stone.",
        ),
    ] = False,
    public: Annotated[
        bool,
        typer.Option("--public", help="Only what everybody at the table may know, with the names of those who agreed."),
    ] = False,
    signed: Annotated[
        bool, typer.Option("--signed", help="What everybody may know, signed by the table, for `referee verify`.")
    ] = False,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="With --signed: all that was hidden, too. All who played have to agree.")
    ] = False,
) -> None:
    """Write a match as text (docs/notation.md): the private record, with all that is in it, or the public one. Of a
    match that is not over the seed is left out."""
    if (reveal and not signed) or (signed and (public or with_secrets)):
        raise typer.BadParameter("--signed stands alone or with --reveal, and --reveal only with it")
    with Archive(_there(journal, table)) as opened:
        numbers = opened.matches()
        number = match if match is not None else (numbers[-1] if numbers else None)
        if number is None:
            raise JournalError(f"{opened.path} holds no match yet")
        if number not in numbers:
            raise JournalError(f"{opened.path} has no match {number}; `referee journal list` lists them")
        entries = opened.entries(number)
        about = opened.about(number)
        hidden = number == opened.current and about.ended is None and not with_secrets
    if signed:
        from device.evidence.key import made

        data = records.signed(entries, about, made(opened.path.parent), reveal=reveal)
    elif public:
        data = records.public(entries, about).encode()
    else:
        data = records.private(entries, about, secrets=not hidden).encode()
    if hidden and not (public or signed):
        typer.echo("referee: the match is not over: its seed is left out, so it cannot be played again", err=True)
    if out is None:
        sys.stdout.write(data.decode())
    else:
        with writing(out):
            write_whole(out, data, mode=0o600)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A record, as `referee journal export` writes it.")],
    journal: File = None,
    table: TablePath = None,
) -> None:
    """Put a match from a text into the journal; without one a new one is made. If a line is refused, none is kept."""
    (entries, about), path = _entries(file), _path(journal, table)
    with alone(path.parent), Journal(path) as opened:
        number = opened.add(entries, about)
    typer.echo(f"match {number}: {len(entries)} entries")


@app.command()
def salvage(path: Annotated[Path, typer.Argument(help="The damaged journal.")]) -> None:
    """Save what is intact in a damaged journal; the damaged files are kept. The referee must not be running."""
    with alone(path.parent):
        with suppress(JournalDamaged), Archive(path):  # a newer one is not damaged, and raises
            pass
        mended = salvaged(path)
    found = mended.found
    for match, count in found.lost.items():
        typer.echo(f"referee: match {match}: {count} entries are lost, after the first {found.kept(match)}", err=True)
    if not found.entries:
        typer.echo(f"referee: nothing in {path} is whole; it is kept as {mended.kept_as}, a new one is empty", err=True)
        raise typer.Exit(1)
    typer.echo(
        f"{found.entries} entries of {len(found.rows)} matches saved, {sum(found.lost.values())} lost. "
        f"The damaged files are kept as {mended.kept_as}."
    )


def _path(journal: Path | None, table: Path | None) -> Path:
    return journal or table_settings(table).state_dir / "journal.db"


def _there(journal: Path | None, table: Path | None) -> Path:
    """Nothing is written to it: matches can be fetched off a disk that is dying."""
    path = _path(journal, table)
    if not path.exists() and not beside(path).exists():
        raise JournalError(f"{path} does not exist: name the journal with --journal, or the table with --table")
    return path


def _entries(file: Path) -> tuple[tuple[Entry, ...], About]:
    game, record = records.read(file)
    entries: list[Entry] = [record.start]
    about = records.people(record)
    for played in records.played(file, game, record):
        if played.entry is None:
            why = played.error.text if played.error else ""
            raise RecordError(f"{file}, line {played.line.number}: {why}")
        entries.append(played.entry)
        about = with_end(about, played.match, None)
    return tuple(entries), about
