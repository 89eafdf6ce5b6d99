"""Reads a journal without writing: from a full or read-only disk, or beside the daemon that writes."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Self

from device.journal.errors import damaged, newer, told
from device.journal.rows import Row, read_rows, whole_rows
from engine.entry import Entry, decode

FORMAT = 1
_NO_FORMAT = 1000
"""So many there will never be: such a number was not written, but came of damage."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY, match INTEGER NOT NULL, seq INTEGER NOT NULL,
    data BLOB NOT NULL, crc INTEGER NOT NULL, UNIQUE (match, seq));
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class Archive:
    """A journal that is only read. A context manager.

    current: the match that was going on; None if it was left, or there is none.
    """

    current: int | None

    def __init__(self, path: Path) -> None:
        """Raises JournalDamaged or JournalNewer, or JournalError if it cannot be opened."""
        self.path = path
        with told(path):
            self._db = self._connected()
            try:
                self._check()
                self._prepare()
                self._find_place()
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def matches(self) -> tuple[int, ...]:
        """The numbers of all matches, oldest first."""
        with told(self.path):
            return tuple(row[0] for row in self._db.execute("SELECT DISTINCT match FROM entry ORDER BY match"))

    def entries(self, match: int) -> tuple[Entry, ...]:
        """All entries of a match, in order. Raises JournalDamaged if one is missing or altered, JournalNewer if one is
        whole, but not known here."""
        found: list[Entry] = []
        for row in self.rows(match):
            try:
                found.append(decode(row.data))
            except ValueError as error:  # also what msgspec raises
                raise newer(self.path, f"entry {row.seq} of match {match}") from error
        return tuple(found)

    def rows(self, match: int) -> tuple[Row, ...]:
        """The entries of a match as stored. Raises JournalDamaged if one is missing or altered."""
        with told(self.path):
            found = list(read_rows(self._db, "WHERE match = ? ORDER BY seq", match))
        whole = whole_rows(found)
        if len(whole) < len(found):
            raise damaged(self.path, f"entry {len(whole)} of match {match} is not whole")
        return whole

    def kept(self, name: str) -> str | None:
        """A setting kept before."""
        return self.settings().get(f"set.{name}")

    def settings(self) -> dict[str, str]:
        """All that is kept beside the matches, as stored."""
        with told(self.path):
            return {str(name): str(value) for name, value in self._db.execute("SELECT name, value FROM kept")}

    def _connected(self) -> sqlite3.Connection:
        """Without a log of writes nobody writes, so nothing has to be locked: SQLite then asks for no file beside it,
        which it could not make here."""
        log = self.path.with_name(f"{self.path.name}-wal")
        mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=2.0)

    def _prepare(self) -> None:
        """A file in which nothing was written yet is a journal without matches."""
        if self._db.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            self._db.close()
            self._db = sqlite3.connect(":memory:")
            self._db.executescript(SCHEMA)

    def _check(self) -> None:
        fault = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if fault != "ok" or not 0 <= version < _NO_FORMAT:
            raise damaged(self.path, f"format {version}: " + str(fault).replace("\n", " "))
        if version > FORMAT:
            raise newer(self.path, f"it (format {version})")

    def _find_place(self) -> None:
        current = self.settings().get("current")
        if current is not None and not current.isdecimal():
            raise damaged(self.path, "the number of the current match is none")
        self.current = None if current is None else int(current)
