"""Salvages what is intact in a damaged journal. The damaged file itself is kept beside the new one."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import msgspec

from device.journal.errors import JournalError, told
from device.journal.rows import Row, read_rows, whole_rows
from device.journal.writing import Journal
from vision.files import sync

_SIDE_FILES = ("-wal", "-shm", "")
"""The journal itself last: what is left of a log must never lie beside another journal."""

UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""The second: SQLite quotes damaged text in what it says."""


class Salvage(msgspec.Struct, frozen=True):
    """What came of it: entries saved and lost, and where the damaged file is now."""

    matches: int
    entries: int
    damaged: int
    kept_as: Path


def salvage(path: Path) -> Salvage:
    """Puts in the place of a damaged journal a new one, with each match as far as it is whole; the damaged one is kept.

    Raises JournalError if there is no such file, or if nothing can be written; then all is left as it was.
    """
    if not path.is_file():
        raise JournalError(f"{path} does not exist: name the journal to salvage")
    with told(path), tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = _padded_copy(path, Path(folder))
        found = _rows(copy)
        whole = {match: whole_rows([rows[seq] for seq in sorted(rows)]) for match, rows in sorted(found.items())}
        whole = {match: rows for match, rows in whole.items() if rows}
        with Journal(Path(folder) / "mended") as mended:
            mended.restore((row for rows in whole.values() for row in rows), _settings(copy, tuple(whole)))
        aside = _put_aside(path)
        mended.path.replace(path)
        sync(path.parent)
    saved = sum(map(len, whole.values()))
    return Salvage(len(whole), saved, sum(map(len, found.values())) - saved, aside)


def _put_aside(path: Path) -> Path:
    aside = _free_name(path)
    for ending in _SIDE_FILES:
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(aside.with_name(aside.name + ending))
    return aside


def _free_name(path: Path) -> Path:
    for number in range(1, 1000):
        name = path.with_name(f"{path.name}.damaged-{number}")
        if not name.exists():
            return name
    raise JournalError(f"{path.parent} holds a thousand damaged journals: move them away")


def _rows(copy: Path) -> dict[int, dict[int, Row]]:
    """Every row that can be read, from the front and from the back, so that damage in the middle costs little."""
    found: dict[int, dict[int, Row]] = defaultdict(dict)
    for direction in ("ASC", "DESC"):
        with closing(sqlite3.connect(copy)) as db:
            try:
                for row in read_rows(db, f"ORDER BY id {direction}"):
                    found[row.match].setdefault(row.seq, row)
            except UNREADABLE:
                continue  # the rest is not readable from this side
    return found


def _settings(copy: Path, matches: tuple[int, ...]) -> dict[str, str]:
    """What was kept beside the matches. If even that cannot be read, the last match counts as going on: players can
    leave it, but not call it back."""
    with closing(sqlite3.connect(copy)) as db:
        try:
            kept = {str(name): str(value) for name, value in db.execute("SELECT name, value FROM kept")}
        except UNREADABLE:
            return {"current": str(matches[-1])} if matches else {}
    if kept.get("current", "") not in map(str, matches):
        kept.pop("current", None)
    return kept


def _padded_copy(path: Path, folder: Path) -> Path:
    """A copy filled up with zeros to the size in its header: SQLite reads nothing of a file that is too short."""
    copy = folder / "copy"
    for ending in _SIDE_FILES:
        part = path.with_name(path.name + ending)
        if part.exists():
            shutil.copyfile(part, copy.with_name(copy.name + ending))
    with copy.open("r+b") as file:
        header = file.read(32)
        page = int.from_bytes(header[16:18], "big")
        size = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
        if header.startswith(b"SQLite format 3") and size > copy.stat().st_size:
            file.truncate(size)
    return copy
