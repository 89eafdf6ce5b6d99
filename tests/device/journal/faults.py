"""Journals that fail as disks do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from device.journal import Archive, Journal
from device.journal.formats import chain_rows


def sqlite_error(code: int, said: str = "injected") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(said)
    error.sqlite_errorcode = code
    return error


class Broken:
    """A connection whose statements fail from the `first` on, counted from 0, `count` times."""

    def __init__(self, db: sqlite3.Connection, code: int, first: int = 0, count: int = 1) -> None:
        self._db, self._code, self._first, self._count, self._done = db, code, first, count, 0

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    def execute(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        self._fail(statement)
        return self._db.execute(statement, tuple(values))

    def executemany(self, statement: str, rows: Iterable[Any]) -> sqlite3.Cursor:
        self._fail(statement)
        return self._db.executemany(statement, rows)

    def close(self) -> None:
        self._db.close()

    @property
    def failed(self) -> bool:
        """True once a statement failed."""
        return self._done > self._first

    def _fail(self, statement: str) -> None:
        if statement == "ROLLBACK":
            return
        place, self._done = self._done, self._done + 1
        if self._first <= place < self._first + self._count:
            raise sqlite_error(self._code)


def broken(journal: Archive, code: int, first: int = 0, count: int = 1) -> Broken:
    """From now on statements of this journal fail so; `mended` ends it."""
    found = Broken(journal._db, code, first, count)
    journal._db = found  # type: ignore[assignment]  # what it does not have, a journal does not use
    return found


def mended(journal: Archive) -> None:
    assert isinstance(journal._db, Broken)
    journal._db = journal._db._db


def write_raw(journal: Journal, data: bytes) -> None:
    """Puts an entry with any content into the current match."""
    match = journal.current
    assert match is not None
    journal.restore(chain_rows(match, journal.stock.heads[match], [(0, data)]), {})


def spoil(path: Path, match: int, seq: int) -> None:
    """Damages an entry wherever it is in a journal that is closed."""
    with Archive(path) as archive:
        chain = archive.rows(match)[seq].chain
    data = path.read_bytes()
    assert data.count(chain) >= 2, "everything is there twice"
    path.write_bytes(data.replace(chain, b"?" * len(chain)))
