"""Writes the journal: every accepted entry is on disk before anything that follows from it is shown (laws 1, 2).

One SQLite file in WAL mode with synchronous=FULL, one row an entry. Several entries go in together or not at all.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from device.journal.errors import told
from device.journal.reading import FORMAT, SCHEMA, Archive
from device.journal.rows import Row, rows_of
from engine.entry import Entry, Start

MEMORY = Path(":memory:")


class Journal(Archive):
    """An open journal; appending goes to the current match."""

    def __init__(self, path: Path = MEMORY) -> None:
        """Opens or makes the file, for its owner alone: the seeds in it are every secret of a match. Without a path it
        lasts as long as the program. Raises JournalDamaged, or JournalError if it cannot be opened."""
        super().__init__(path)

    _next: int

    def append(self, entries: Sequence[Entry]) -> None:
        """Writes entries to the current match, all or none; a `Start` at the front begins a new match.

        Returns when they are on disk. Raises JournalError, and has then written nothing.
        """
        self.write(entries)

    def write(
        self, entries: Sequence[Entry] = (), *, settings: Mapping[str, str] | None = None, leave: bool = False
    ) -> None:
        """Entries as `append` does, then settings for the next start, such as the language; `leave`: afterwards the
        current match is not gone on with, but stays in the journal. All of it in one transaction. Raises as `append`.
        """
        with self._writing():
            match, seq = self.current, self._next
            if entries and isinstance(entries[0], Start):
                match, seq = self._new_match(), 0
            current = None if leave else match
            self._insert(rows_of(match or 0, seq, entries))
            self._keep({f"set.{name}": value for name, value in (settings or {}).items()})
            self._db.execute("DELETE FROM kept WHERE name = 'current'")
            if current is not None:
                self._keep({"current": str(current)})
        self.current, self._next = current, 0 if leave else seq + len(entries)

    def add(self, entries: Sequence[Entry]) -> int:
        """Writes a whole match beside the current one, and returns its number. Raises as `append` does."""
        with self._writing():
            match = self._new_match()
            self._insert(rows_of(match, 0, entries))
        return match

    def restore(self, rows: Iterable[Row], settings: Mapping[str, str]) -> None:
        """Rows and settings of another journal, as stored there. Raises as `append` does."""
        with self._writing():
            self._insert(rows)
            self._keep(settings)
        self._find_place()

    def leave(self) -> None:
        """The current match is not gone on with; it stays in the journal."""
        self.write(leave=True)

    def keep(self, name: str, value: str) -> None:
        """Keeps a small setting, such as the language, for the next start."""
        self.write(settings={name: value})

    def prove(self) -> None:
        """Writes a little, so that a disk that takes nothing is known before anybody plays. Raises as `append`."""
        self.keep("written", "yes")

    def _find_place(self) -> None:
        super()._find_place()
        self._next = 0 if self.current is None else len(self.rows(self.current))

    def _new_match(self) -> int:
        return max(self.matches(), default=0) + 1

    def _insert(self, rows: Iterable[Row]) -> None:
        values = map(msgspec.structs.astuple, rows)
        self._db.executemany("INSERT INTO entry (match, seq, data, crc) VALUES (?, ?, ?, ?)", values)

    def _keep(self, settings: Mapping[str, str]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", settings.items())

    def _connected(self) -> sqlite3.Connection:
        if self.path != MEMORY:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_private(self.path)
        return sqlite3.connect(self.path, isolation_level=None, timeout=2.0, check_same_thread=False)

    def _prepare(self) -> None:
        """Writes nothing to a journal that is there."""
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        if self._db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            self._db.executescript(SCHEMA)
            self._db.execute(f"PRAGMA user_version={FORMAT}")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with told(self.path):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _make_private(path: Path) -> None:
    """SQLite gives the files beside it the same rights. What cannot be done here SQLite will say."""
    with suppress(OSError):
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
        elif path.is_file() and path.stat().st_mode & 0o077:
            path.chmod(0o600)
