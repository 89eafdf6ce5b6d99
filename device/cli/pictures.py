"""Runs `referee pictures`: saves or deletes the pictures of the mat that a table has kept."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from device.cli import records
from device.cli.common import TablePath, as_owner_of, table_settings, writing
from device.cli.tree import Group
from device.daemon import kept_pictures
from device.journal import Archive, JournalError
from engine.errors import RefereeError
from vision.files.writing import write_whole

PANEL = "At the table"

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="Save or delete the pictures of the mat that a table has kept (docs/owner.md).",
)


class NoPictures(RefereeError, FileNotFoundError):
    """The table has kept none."""


class FolderInUse(RefereeError, FileExistsError):
    """The folder for the pictures isn't empty."""


@app.command()
def save(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    table: TablePath = None,
) -> None:
    """Copy the kept pictures into a folder, with what the camera recognised and what was played. No name is in it."""
    state = table_settings(table).state_dir
    found = dict(kept_pictures.read_all(state))
    if not found:
        raise NoPictures(
            f'{state / kept_pictures.FOLDER} has no pictures: set `keep = "on"` under [camera] in the table file, or '
            "switch it on on the owner's page, and play"
        )
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise FolderInUse(f"{folder} has something in it: name a new folder")
        for path in found:
            shutil.copyfile(path, folder / path.name)
            shutil.copyfile(path.with_suffix(".json"), folder / path.with_suffix(".json").name)
        matches = sorted({each.match for each in found.values() if each.match is not None})
        written = _write_matches(folder, state, matches)
    typer.echo(f"Saved in {folder}. Pictures: {len(found)}. Matches: {written}. Look at them before you send them.")


def _write_matches(folder: Path, state: Path, matches: list[int]) -> int:
    """Write these matches' public records without names, if the journal has them; return how many."""
    written = 0
    with suppress(JournalError), Archive(state / "journal.db") as archive:
        for number in matches:
            with suppress(JournalError, records.RecordError):
                entries, about, _ = records.kept_match(archive, number)
                nameless = msgspec.structs.replace(about, names={}, agreed=(), table="")
                write_whole(folder / f"match-{number}.txt", records.public(entries, nameless).encode())
                written += 1
    return written


@app.command()
def delete(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    table: TablePath = None,
) -> None:
    """Delete all kept pictures. It cannot be undone."""
    state = table_settings(table).state_dir
    found = kept_pictures.pictures(state)
    if found and not yes:
        typer.confirm(f"Delete all pictures of the mat ({len(found)})? This cannot be undone", abort=True)
    with as_owner_of(state):
        for path in found:
            kept_pictures.delete(path)
    typer.echo(f"Pictures deleted: {len(found)}.")
