"""The journal: every accepted entry, on disk before anything that follows from it is shown (laws 1 and 2).

One SQLite file in WAL mode with synchronous=FULL, one row an entry. Several entries go in together or not at all.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from engine.entry import Entry, Start, decode, encode
from engine.errors import RefereeError

FORMAT = 1
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY, match INTEGER NOT NULL, seq INTEGER NOT NULL,
    data BLOB NOT NULL, crc INTEGER NOT NULL, UNIQUE (match, seq));
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class JournalError(RefereeError, OSError):
    """The journal cannot be used; the message names the file and what to do."""


class JournalFull(JournalError):
    """An entry could not be written (disk full or failing). Nothing of it was kept, so nothing may be accepted."""


class JournalDamaged(JournalError):
    """The file is truncated or altered. `referee journal salvage` keeps it and saves what is whole."""


class JournalTaken(JournalError):
    """Another program writes the same journal."""


class Row(msgspec.Struct, frozen=True):
    """One row as stored: `crc` is the CRC-32 of `data`."""

    match: int
    seq: int
    data: bytes
    crc: int

    def entry(self) -> Entry:
        """The entry. Raises ValueError if it is not whole."""
        if zlib.crc32(self.data) != self.crc:
            raise ValueError("checksum differs")
        return decode(self.data)


class Journal:
    """An open journal. A context manager; appending goes to the current match."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file. Raises JournalDamaged, or JournalError if it cannot be opened."""
        self.path = path
        with self._reading():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=2.0, check_same_thread=False)
            self._check()
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
            self._db.execute(f"PRAGMA user_version={FORMAT}")
            self.current = self._current()
            self._next = len(self.entries(self.current)) if self.current else 0

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def append(self, entries: Sequence[Entry]) -> None:
        """Writes entries to the current match, all or none; a `Start` at the front begins a new match.

        Returns when they are on disk. Raises JournalFull or JournalTaken, and has then written nothing.
        """
        self.write(entries)

    def write(
        self, entries: Sequence[Entry] = (), *, settings: Mapping[str, str] | None = None, leave: bool = False
    ) -> None:
        """Entries as `append` does, then settings for the next start, such as the language; `leave`: afterwards the
        current match is not gone on with, but stays in the journal. All of it in one transaction. Raises as `append`.
        """
        match, seq = self.current, self._next
        if entries and isinstance(entries[0], Start):
            match, seq = self._new_match(), 0
        current = None if leave else match
        with self._writing():
            self._insert(match or 0, seq, entries)
            for name, value in (settings or {}).items():
                self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (f"set.{name}", value))
            if current is None:
                self._db.execute("DELETE FROM kept WHERE name = 'current'")
            else:
                self._db.execute("INSERT OR REPLACE INTO kept VALUES ('current', ?)", (str(current),))
        self.current, self._next = current, 0 if leave else seq + len(entries)

    def add(self, entries: Sequence[Entry]) -> int:
        """Writes a whole match beside the current one, and returns its number. Raises as `append` does."""
        match = self._new_match()
        with self._writing():
            self._insert(match, 0, entries)
        return match

    def leave(self) -> None:
        """The current match is not gone on with; it stays in the journal."""
        self.write(leave=True)

    def keep(self, name: str, value: str) -> None:
        """Keeps a small setting, such as the language, for the next start."""
        self.write(settings={name: value})

    def kept(self, name: str) -> str | None:
        """A setting kept before."""
        row = self._db.execute("SELECT value FROM kept WHERE name = ?", (f"set.{name}",)).fetchone()
        return str(row[0]) if row else None

    def matches(self) -> tuple[int, ...]:
        """The numbers of all matches, oldest first."""
        return tuple(row[0] for row in self._db.execute("SELECT DISTINCT match FROM entry ORDER BY match"))

    def entries(self, match: int) -> tuple[Entry, ...]:
        """All entries of a match, in order. Raises JournalDamaged if one is missing or altered."""
        with self._reading():
            rows = list(read_rows(self._db, "WHERE match = ? ORDER BY seq", match))
        whole = whole_entries(rows)
        if len(whole) < len(rows):
            raise self._damaged(f"entry {len(whole)} of match {match} is not whole")
        return whole

    def _new_match(self) -> int:
        return max(self.matches(), default=0) + 1

    def _insert(self, match: int, seq: int, entries: Sequence[Entry]) -> None:
        rows = [(match, seq + n, data, zlib.crc32(data)) for n, data in enumerate(map(encode, entries))]
        self._db.executemany("INSERT INTO entry (match, seq, data, crc) VALUES (?, ?, ?, ?)", rows)

    def _current(self) -> int | None:
        row = self._db.execute("SELECT value FROM kept WHERE name = 'current'").fetchone()
        return int(row[0]) if row else None

    def _check(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > FORMAT:
            raise JournalError(f"{self.path} was written by a newer referee (format {version}): update table-referee")
        fault = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            raise self._damaged(str(fault).replace("\n", " "))

    def _damaged(self, why: str) -> JournalDamaged:
        return JournalDamaged(
            f"{self.path} is damaged ({why}). Stop the referee and run `referee journal salvage {self.path}`: "
            "it keeps the damaged file and saves every match as far as it is whole."
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise self._refused(error) from error

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _refused(self, error: sqlite3.Error) -> JournalError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _FULL:
            return JournalFull(f"{self.path} cannot be written ({error}): make room on the disk; nothing was accepted")
        if code in (sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return JournalTaken(f"{self.path} is being written by another program ({error}): stop one of the two")
        return self._damaged(str(error))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise JournalError(f"{self.path} cannot be opened ({error}): check the folder and its owner") from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error
        except OSError as error:
            if isinstance(error, RefereeError):
                raise
            raise JournalError(f"{self.path} cannot be opened ({error}): check the folder and its owner") from error


def read_rows(db: sqlite3.Connection, clause: str, *values: object) -> Iterator[Row]:
    """Rows as stored, not checked."""
    for row in db.execute(f"SELECT match, seq, CAST(data AS BLOB), crc FROM entry {clause}", values):
        yield Row(*row)


def whole_entries(rows: Sequence[Row]) -> tuple[Entry, ...]:
    """The entries of one match, in order, up to the first that is missing or not whole."""
    found: list[Entry] = []
    for row in rows:
        try:
            entry = row.entry()
        except ValueError:  # also what msgspec raises
            break
        if row.seq != len(found) or isinstance(entry, Start) != (row.seq == 0):
            break
        found.append(entry)
    return tuple(found)
