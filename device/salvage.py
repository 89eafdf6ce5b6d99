"""Saving what is whole of a damaged journal. The damaged file itself is kept beside the new one."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import defaultdict
from pathlib import Path

import msgspec

from device.journal import Journal, JournalError, Row, read_rows, whole_entries

_SIDE_FILES = ("", "-wal", "-shm")


class Salvage(msgspec.Struct, frozen=True):
    """What came of it: entries saved and lost, and where the damaged file is now."""

    matches: int
    entries: int
    damaged: int
    kept_as: Path


def salvage(path: Path) -> Salvage:
    """Moves a damaged journal aside and writes a new one with each match as far as it is whole.

    Raises JournalError if there is no such file.
    """
    if not path.is_file():
        raise JournalError(f"{path} does not exist: name the journal to salvage")
    aside = _free_name(path)
    for ending in _SIDE_FILES:
        part = path.with_name(path.name + ending)
        if part.exists():
            part.rename(aside.with_name(aside.name + ending))
    found = _rows(aside)
    saved = 0
    with Journal(path) as journal:
        for match in sorted(found):
            whole = whole_entries([found[match][seq] for seq in sorted(found[match])])
            if whole:
                journal.append(whole)
                saved += len(whole)
        count = len(journal.matches())
    return Salvage(count, saved, sum(map(len, found.values())) - saved, aside)


def _free_name(path: Path) -> Path:
    for number in range(1, 1000):
        name = path.with_name(f"{path.name}.damaged-{number}")
        if not name.exists():
            return name
    raise JournalError(f"{path.parent} holds a thousand damaged journals: move them away")


def _rows(path: Path) -> dict[int, dict[int, Row]]:
    """Every row that can be read, from the front and from the back, so that damage in the middle costs little."""
    found: dict[int, dict[int, Row]] = defaultdict(dict)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = _padded_copy(path, Path(folder))
        for direction in ("ASC", "DESC"):
            db = sqlite3.connect(copy)
            try:
                for row in read_rows(db, f"ORDER BY id {direction}"):
                    found[row.match].setdefault(row.seq, row)
            except sqlite3.DatabaseError:
                continue  # the rest is not readable from this side
            finally:
                db.close()
    return found


def _padded_copy(path: Path, folder: Path) -> Path:
    """A copy filled up with zeros to the size in its header: SQLite reads nothing of a file that is too short."""
    for ending in _SIDE_FILES:
        part = path.with_name(path.name + ending)
        if part.exists():
            shutil.copyfile(part, folder / ("copy" + ending))
    copy = folder / "copy"
    with copy.open("r+b") as file:
        header = file.read(32)
        page = int.from_bytes(header[16:18], "big")
        size = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
        if header.startswith(b"SQLite format 3") and size > copy.stat().st_size:
            file.truncate(size)
    return copy
