"""Shares the table file, logging and JSON output between commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from device.locale import LANGUAGES
from device.settings import DEFAULT_TABLE, TableSettings, load
from device.settings.owner_settings import laid_over
from engine.errors import RefereeError


class UnwritableError(RefereeError, OSError):
    """A requested file can't be written."""


TablePath = Annotated[
    Path | None,
    typer.Option(
        "--table", "-t", help=f"The table file. Without it $REFEREE_TABLE, then {DEFAULT_TABLE}.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def table_path(given: Path | None) -> Path:
    """Return the given or default table file."""
    return given or Path(os.environ.get("REFEREE_TABLE") or DEFAULT_TABLE)


def table_settings(given: Path | None) -> TableSettings:
    """Return the table's settings with the owner's choices. Raises BadFile."""
    return laid_over(load(table_path(given))).table


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise OSErrors of the block as UnwritableError, which names this path; RefereeErrors stay."""
    try:
        yield
    except RefereeError:  # names the file and a remedy
        raise
    except OSError as error:
        raise UnwritableError(f"{path} cannot be written ({error.strerror or error}): choose another place") from error


@contextmanager
def told_by_code() -> Iterator[None]:
    """Ignore that the reader of standard output went away: the exit code tells all."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """Act as the folder's owner if root, so that new files are theirs."""
    if os.geteuid() != 0 or not folder.exists():
        yield
        return
    there = folder.stat()
    group = os.getegid()
    os.setegid(there.st_gid)
    os.seteuid(there.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)


def leave_to_owner(folder: Path, *names: str) -> None:
    """Give files and folders in this folder to its owner if root; who owns a folder can replace all files in it."""
    if os.geteuid() == 0 and folder.is_dir():
        there = folder.stat()
        for name in names:
            with suppress(FileNotFoundError):
                os.chown(folder / name, there.st_uid, there.st_gid, follow_symlinks=False)


def table_language(settings: TableSettings) -> str:
    """Return the language chosen at the table, from the journal; else the table file's."""
    from device.journal import Archive, JournalError

    path = settings.state_dir / "journal.db"
    with suppress(JournalError):
        if path.exists():
            with Archive(path) as archive:
                chosen = archive.setting("language")
                return chosen if chosen in LANGUAGES else settings.language
    return settings.language


def known_language(name: str) -> str:
    """Return a language code, also from zh-Hant. Raises BadParameter."""
    language = name.replace("-", "_")
    if language not in LANGUAGES:
        raise typer.BadParameter(f"there is no language {name}; there are {', '.join(LANGUAGES)}")
    return language
