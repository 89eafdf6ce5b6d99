"""`referee verify`: checks a signed record entry by entry, at the terminal or on a page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from device.cli.common import AsJson, known_language, told_by_code
from device.cli.linux import require_linux
from device.locale import translate

if TYPE_CHECKING:
    from referee_record.verification import Verdict

PANEL = "Records and figures"


def command(
    file: Annotated[
        Path | None,
        typer.Argument(help="A signed record, as `referee journal export --signed` writes it.", show_default=False),
    ] = None,
    heads: Annotated[
        Path | None,
        typer.Option("--heads", help="File of heads that others noted: one a line, NUMBER HASH.", show_default=False),
    ] = None,
    page: Annotated[
        bool, typer.Option("--page", help="Open a page for files instead: in the browser, in its language.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="With --page: address to serve it on; 0.0.0.0: for every machine of the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --page: its port; 0 takes a free one.")] = 8140,
    language: Annotated[
        str, typer.Option("--language", help="Language of the findings: en, ru, zh_Hans, zh_Hant.")
    ] = "en",
    as_json: AsJson = False,
) -> None:
    """Check a signed record entry by entry. Exit code 0: verified; 1: refused, with the first wrong entry; 3: all
    fits, but others' heads or the match's end are missing; 4: checked in part (extensions/record/README.md)."""
    spoken = known_language(language)
    if page:
        require_linux("verify --page")
        from referee_record.page import serve

        if file is not None or heads is not None:
            raise typer.BadParameter("the page asks for the file itself", param_hint="--page")
        asyncio.run(serve(host, port, typer.echo))
        return
    if file is None:
        raise typer.BadParameter("name a signed record, or open a page for it with --page", param_hint="FILE")
    found = _verdict(file, heads)
    with told_by_code():
        if as_json:
            typer.echo(msgspec.json.encode(_report(found, spoken)).decode())
        else:
            _tell(found, spoken)
    raise typer.Exit(found.code)


def _verdict(file: Path, heads: Path | None) -> Verdict:
    """Return the finding. Raises RecordError and BadFile."""
    from device.cli import records
    from device.version import version
    from referee_record.public_entries import Head
    from referee_record.signed_record import LONGEST, NoRecord, read, read_heads
    from referee_record.verification import verify
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
    return verify(record, records.find_game(record.opening.game), version(), kept)


def _report(found: Verdict, language: str) -> dict[str, Any]:
    from device.cli import records
    from referee_record.report import report

    return report(found, records.find_game(found.game).spec.title, language)


def _tell(found: Verdict, language: str) -> None:
    from engine.text import clean
    from referee_record.public_key import in_groups
    from referee_record.verification import NAMED, SAID
    from referee_record.words import VERIFY

    names = {what: translate(name, language) for what, name in NAMED.items()}
    width = max(map(len, names.values()))
    for each in found.entries:
        typer.echo(f"{each.entry:5}  {names[each.what]:{width}}  {clean(each.line)}")
    if found.wrong is not None and found.place is not None:
        typer.echo(f"  {translate(found.place, language)} {clean(translate(found.wrong.why, language))}")
    for sentence in found.unchecked:
        typer.echo(f"  {clean(translate(sentence, language))}")
    if found.noteworthy:
        typer.echo(f"{translate(VERIFY['differs'], language)}:")
    for sentence in found.noteworthy:
        typer.echo(f"  {clean(translate(sentence, language))}")
    typer.echo(f"  key {in_groups(clean(found.key))}\n  head {found.head.n} {in_groups(found.head.hash)}")
    typer.echo(translate(SAID[found.result], language))
