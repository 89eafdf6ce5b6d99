"""`referee verify`: checks a signed record on any machine, entry by entry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli.common import AsJson
from device.evidence.verdict import Result

PANEL = "Records and figures"

SAID = {
    Result.VERIFIED: "verified: every entry follows from the rules, the commitment and the heads that others kept",
    Result.CONSISTENT: "consistent, but not verified: others' notes or the match's end are missing",
    Result.PARTLY: "checked in part",
    Result.REFUSED: "refused",
}


def command(
    file: Annotated[Path, typer.Argument(help="A signed record, as `referee journal export --signed` writes it.")],
    heads: Annotated[
        Path | None,
        typer.Option("--heads", help="Heads that others kept: a line each, NUMBER HASH.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a signed record entry by entry. Exit code 0: verified; 1: refused, with the first wrong entry; 3: all
    fits, but others' heads or the match's end are missing; 4: checked in part (docs/verify.md)."""
    from device.cli import records
    from device.cli.public import clean
    from device.evidence.links import Head
    from device.evidence.record import LONGEST, NoRecord, read, read_heads
    from device.evidence.verdict import verify
    from device.version import version
    from vision.files import read_bytes

    try:
        record = read(read_bytes(file, limit=LONGEST, remedy="name a signed record"))
    except NoRecord as error:
        raise records.RecordError(f"{file}, {error}") from error
    kept: tuple[Head, ...] = ()
    try:
        kept = kept if heads is None else read_heads(read_bytes(heads, remedy="name a file of heads"))
    except NoRecord as error:
        raise records.RecordError(f"{heads}, {error}") from error
    found = verify(record, records.known(record.opening.game), version(), kept)
    if as_json:
        typer.echo(msgspec.json.encode({**msgspec.structs.asdict(found), "code": found.code}).decode())
    else:
        for each in found.entries:
            typer.echo(f"{each.entry:5}  {each.what:10}  {clean(each.line)}")
        if found.wrong is not None:
            typer.echo(f"  {_place(found.wrong.entry, found.wrong.to, found.wrong.link)}: {clean(found.wrong.why)}")
        for sentence in found.unchecked:
            typer.echo(f"  {clean(sentence)}")
        typer.echo(f"  key {clean(found.key)}\n  head {found.head.n} {found.head.hash}")
        typer.echo(SAID[found.result])
    raise typer.Exit(found.code)


def _place(entry: int | None, to: int | None, link: int) -> str:
    """Where the first wrong entry is."""
    if entry is None:
        return f"link {link} is wrong"
    return f"entry {entry} is wrong" if to in (None, entry) else f"one of the entries {entry} to {to} is wrong"
