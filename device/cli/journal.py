"""Runs `referee journal`: lists, exports, imports and salvages matches."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.bus.endpoints import alone
from device.cli import records
from device.cli.common import AsJson, TablePath, as_owner_of, table_settings, writing
from device.cli.matches import catalogue, line
from device.cli.records import Kept, RecordError
from device.daemon.match_identity import with_end
from device.journal import About, Archive, Journal, JournalDamaged, JournalError
from device.journal.formats import witness_of
from device.journal.opening import salvage as salvaged
from device.journal.opening import there
from device.version import version
from engine.entry import Entry, Start
from engine.evening import Evening, goes_on, with_result
from engine.match import Match
from engine.notation import FOR_READERS, Record
from vision.files import NoFile, write_whole

PANEL = "Records and figures"
app = typer.Typer(
    help="List, export and import matches and evenings as text, and save those of a damaged journal.",
    no_args_is_help=True,
)

File = Annotated[
    Path | None,
    typer.Option("--journal", "-j", help="The journal. Without it the one of the table file.", show_default=False),
]


@app.command("list")
def listing(journal: File = None, table: TablePath = None, json: AsJson = False) -> None:
    """List the matches: game, seats, when, length, result; of a damaged journal what can be saved, with code 1."""
    path = existing(journal, table)
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


WithSecrets = Annotated[
    bool,
    typer.Option(
        "--with-secrets",
        help="Also of a match that is not over: with the seed, which gives away every hidden card and stone.",
    ),
]
Public = Annotated[
    bool,
    typer.Option("--public", help="Only what everybody at the table may know, with the names of those who agreed."),
]
Signed = Annotated[
    bool,
    typer.Option(
        "--signed",
        help="What everybody may know, signed by the table, for `referee verify`; "
        "compressed if the file's name ends in .gz.",
    ),
]
Reveal = Annotated[
    bool, typer.Option("--reveal", help="With --signed: also everything that was hidden. All players must agree.")
]
WholeEvening = Annotated[bool, typer.Option("--evening", help="All matches of this match's evening, in one text.")]
Stored = Annotated[
    bool,
    typer.Option(
        "--stored",
        help="Its entries as they are stored, JSON, one a line: also of a game that is not installed here, or of a "
        "later version.",
    ),
]


@app.command()
def export(
    match: Annotated[int | None, typer.Argument(help="The match; without it the last one.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file; without it standard output.")] = None,
    journal: File = None,
    table: TablePath = None,
    with_secrets: WithSecrets = False,
    public: Public = False,
    signed: Signed = False,
    reveal: Reveal = False,
    evening: WholeEvening = False,
    stored: Stored = False,
) -> None:
    """Write a match, or an evening, as text (docs/records.md): all that is in it, or what everybody may know.

    An unfinished match is written without its seed, so nobody can play it again.
    """
    _refuse_together(
        public=public, signed=signed, reveal=reveal, evening=evening, stored=stored, with_secrets=with_secrets
    )
    with Archive(existing(journal, table)) as opened:
        number = _number(opened, match)
        if stored:
            _write(out, _stored_entries(opened, number, with_secrets=with_secrets))
            return
        taken = _evening(opened, number) if evening else (number,)
        matches = tuple(records.kept_match(opened, each) for each in taken)
        if reveal:
            _refuse_telling_another(opened, number)
    everybody = signed or public or all(about.public for _, about, _ in matches)
    if signed:
        data = _sign_record(*matches[-1][:2], path=opened.path, reveal=reveal)
        data = _compressed_for(out, data)
    else:
        data = _write_records(matches, public=public, with_secrets=with_secrets).encode()
    _write(out, data, everybody=everybody)


def _refuse_together(
    *, public: bool, signed: bool, reveal: bool, evening: bool, stored: bool, with_secrets: bool
) -> None:
    """Raise BadParameter for contradictory options of `export`."""
    if signed and evening:
        raise typer.BadParameter(
            "--signed is of one match: what players noted is of that match alone, and so is what they agreed to "
            "reveal. Sign each by its number; `referee journal list` lists them"
        )
    if (reveal and not signed) or (signed and (public or with_secrets)):
        raise typer.BadParameter("--signed stands alone or with --reveal, and --reveal only with it")
    if stored and (public or signed or evening):
        raise typer.BadParameter("--stored stands alone or with --with-secrets: it is all that is kept of one match")


def _number(opened: Archive, match: int | None) -> int:
    """Return a kept match's number, the last one's if None. Raises JournalError."""
    numbers = opened.matches()
    number = match if match is not None else (numbers[-1] if numbers else None)
    if number is None:
        raise JournalError(f"{opened.path} holds no match yet")
    if number not in numbers:
        raise JournalError(f"{opened.path} has no match {number}; `referee journal list` lists them")
    return number


def _compressed_for(out: Path | None, data: bytes) -> bytes:
    """Return a record, compressed if the file's name ends in .gz."""
    if out is None or out.suffix != ".gz":
        return data
    return gzip.compress(data, mtime=0)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A record, as `referee journal export` writes it.")],
    journal: File = None,
    table: TablePath = None,
) -> None:
    """Put the matches of a text into the journal, which is made if missing. If a line is refused, no match is kept.

    The referee must not be running. A public record of a game with secrets stays what it is: what was told, the last
    board and the result.
    """
    found, path = _entries(file), _path(journal, table)
    with as_owner_of(path.parent), alone(path.parent), Journal(path) as opened:
        numbers = opened.add_all(found)
    for number, (entries, about) in zip(numbers, found, strict=True):
        typer.echo(f"match {number}: {'its public record' if about.public else f'{len(entries)} entries'}")
    for told in _not_kept(file):
        typer.echo(f"referee: {told}", err=True)


@app.command()
def salvage(path: Annotated[Path, typer.Argument(help="The damaged journal.")]) -> None:
    """Save what is intact in a damaged journal; the damaged files are kept. The referee must not be running."""
    there(path)
    with as_owner_of(path.parent), alone(path.parent):
        with suppress(JournalDamaged), Archive(path):  # a newer one raises
            pass
        mended = salvaged(path)
    found = mended.found
    for match, count in found.lost.items():
        typer.echo(
            f"referee: match {match}: {count} entries are lost, after the first {found.saved_count(match)}", err=True
        )
    if not found.entries:
        typer.echo(f"referee: nothing in {path} is whole; it is kept as {mended.kept_as}, a new one is empty", err=True)
        raise typer.Exit(1)
    typer.echo(
        f"{found.entries} entries of {len(found.rows)} matches saved, {sum(found.lost.values())} lost. "
        f"The damaged files are kept as {mended.kept_as}."
    )


def _warn_of_heads(about: About) -> None:
    """Say why heads that players noted may not fit this export."""
    if about.secret is not None and about.secret.program != version():
        told = f"the match was begun with version {about.secret.program}, and this is {version()}"
        typer.echo(f"referee: {told}: if words differ, heads that players noted do not fit this export", err=True)
    if about.lost:
        told = f"{about.lost} entries of this match were lost"
        typer.echo(f"referee: {told}: heads that players noted after that do not fit this export", err=True)


def _path(journal: Path | None, table: Path | None) -> Path:
    return journal or table_settings(table).state_dir / "journal.db"


def existing(journal: Path | None, table: Path | None) -> Path:
    """Return the journal's path. Raises JournalError if neither it nor its witness exists."""
    path = _path(journal, table)
    if not path.exists() and not witness_of(path).exists():
        raise JournalError(f"{path} does not exist: name the journal with --journal, or the table with --table")
    return path


def _write(out: Path | None, data: bytes, *, everybody: bool = False) -> None:
    if out is None:
        typer.echo(data, nl=False)
    else:
        with writing(out):
            write_whole(out, data, mode=0o666 if everybody else 0o600)


def _stored_entries(archive: Archive, number: int, *, with_secrets: bool) -> bytes:
    """Return a match's stored entries, one per line; an unfinished one's only with secrets. Raises JournalError."""
    if not (with_secrets or archive.over(number)):
        raise JournalError(
            f"match {number} is not over, and what is stored of it gives away all that is hidden: "
            "export it once it is over, or with --with-secrets"
        )
    return b"".join(row.data + b"\n" for row in archive.rows(number))


def _sign_record(entries: tuple[Entry, ...], about: About, *, path: Path, reveal: bool) -> bytes:
    """Sign a record with the table's existing key; players wouldn't know a new one. Raises JournalError without one, or
    if only the public record is known."""
    if about.public:
        raise JournalError("only the public record of this match is known, so this table cannot sign it")
    _warn_of_heads(about)
    try:
        return records.sign_record(entries, about, path.parent, reveal=reveal)
    except NoFile as error:
        raise JournalError(
            f"table.key is not beside {path}: copy it along from the table's state folder. "
            "A table that has never signed makes one with `referee key`"
        ) from error


def _refuse_telling_another(archive: Archive, number: int) -> None:
    """Raise RecordError if the match's lots come from another match's seed."""
    start = archive.entries(number)[0]
    if not isinstance(start, Start) or not isinstance(start.evening, Evening):
        return
    lots = start.evening.lots
    for each in archive.matches() if lots not in (0, start.seed) else ():
        with suppress(JournalError):  # another match is damaged
            first = archive.entries(each)[0]
            if isinstance(first, Start) and first.seed == lots:
                raise RecordError(
                    f"an earlier version took the lots of match {number} from the seed of match {each}: "
                    "to reveal one would reveal the other, so export it without --reveal"
                )


def _write_records(matches: tuple[Kept, ...], *, public: bool, with_secrets: bool) -> str:
    start = matches[-1][0][0]
    last = start.evening if isinstance(start, Start) and isinstance(start.evening, Evening) else None
    texts = list[str]()
    for entries, about, over in matches:
        if about.public and not public:
            typer.echo("referee: only its public record is known", err=True)
        elif not over and not with_secrets and not public:
            typer.echo("referee: the match is not over: its seed is left out, so it cannot be played again", err=True)
        texts.append(
            records.public(entries, about, last)
            if public or about.public
            else records.private(entries, about, secrets=over or with_secrets)
        )
    return "\n".join(texts)


def _evening(archive: Archive, number: int) -> tuple[int, ...]:
    evenings = dict[int, object]()
    for each in archive.matches():
        with suppress(JournalError):  # another match's; this one's is told later
            start = archive.entries(each)[0]
            evenings[each] = start.evening if isinstance(start, Start) else None
    if not isinstance(evenings.get(number), Evening):
        raise JournalError(f"match {number} is not one of an evening: export it without --evening")
    chains = list[list[int]]()
    for each, after in evenings.items():
        if not isinstance(after, Evening):
            continue
        before = (chain for chain in reversed(chains) if _follows(evenings[chain[-1]], after))
        chain = next(before, None)
        if chain is None:
            chains.append([each])
        else:
            chain.append(each)
    return tuple(next(chain for chain in chains if number in chain))


def _follows(before: object, after: Evening) -> bool:
    return isinstance(before, Evening) and bool(after.played) and goes_on(before, after)


def _entries(file: Path) -> tuple[tuple[tuple[Entry, ...], About], ...]:
    found = list[tuple[tuple[Entry, ...], About]]()
    last: Match | None = None
    for record in records.read(file):
        if record.sealed and record.public:
            found.append(((record.start,), records.decode_about(file, record)))
            last = None
            continue
        if record.sealed:
            raise RecordError(
                f"{file}, line {record.sealed}: the seed is left out, so nobody can play it again: "
                "export the match once it is over, or with --public"
            )
        _refuse_gap(file, last, record)
        entries, about, last = _replay_match(file, record)
        found.append((entries, about))
    return tuple(found)


def _not_kept(file: Path) -> Iterator[str]:
    for record in records.read(file):
        for name in FOR_READERS:
            line = record.header_line(name)
            if line.text.strip(" ?-"):
                yield f"{file}, line {line.number}: the journal has no place for [{name.capitalize()}]; it is left out"


def _replay_match(file: Path, record: Record) -> tuple[tuple[Entry, ...], About, Match | None]:
    entries: list[Entry] = [record.start]
    about, match = records.people_of(file, record), None
    for played in records.play_lines(file, records.game_of(file, record), record):
        if played.entry is None:
            why = str(played.error.text).rstrip(".") if played.error else ""
            raise RecordError(
                f"{file}, line {played.line.number}: {why}. Nothing was imported: mend the line, or export it again"
            )
        entries.append(played.entry)
        match = played.match
        about = with_end(about, match, None)
    return tuple(entries), about, match


def _refuse_gap(file: Path, last: Match | None, record: Record) -> None:
    after, before = record.start.evening, last.start.evening if last is not None else None
    if last is None or last.result is None or not isinstance(after, Evening) or not isinstance(before, Evening):
        return
    if after.played and after.played != with_result(before, last.start.seats, last.result).played:
        raise RecordError(
            f"{file}, line {record.line}: this match does not follow from the one before it in its evening: "
            "export the evening again, or import each match from a file of its own"
        )
