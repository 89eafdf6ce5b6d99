"""Reads a journal without writing: from a full or read-only disk, or beside the daemon that writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from device.journal import formats
from device.journal.errors import damaged, newer, told
from device.journal.formats import NOTHING, Head, Row, Witness, log_of, witness_of
from device.journal.inventory import Stock, take_stock
from device.journal.match_info import About
from engine.entry import Entry, decode

MEMORY = Path(":memory:")


class Archive:
    """A journal that is only read. A context manager.

    current: the match that was going on; None if it was left, or there is none. stock: all of it, when it was opened.
    missing: so many entries of a match should be there and are not; unwitnessed: nobody knows whether more are missing.
    """

    current: int | None
    stock: Stock

    def __init__(self, path: Path) -> None:
        """Raises JournalDamaged or JournalNewer, or JournalError if it cannot be opened. A match that is damaged or
        missing damages no other: it is told of when it is asked for, and in `missing`."""
        self.path = path
        said = formats.read_witness(path) if path != MEMORY else None  # first: a daemon may write both meanwhile
        with told(path):
            self._refuse_without_head()
            self._db = self._connected()
            try:
                self.format = self._check()
                self._prepare()
                self.stock = self._taken()
            except BaseException:
                self._db.close()
                raise
        self.current = self.stock.current
        self.unwitnessed = said is None
        self.missing = self._missing(said)

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
            return formats.matches(self._db, self.format)

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

    def current_entries(self) -> tuple[Entry, ...]:
        """Those of the match that goes on; () if none does. Raises as `entries`."""
        return () if self.current is None else self.entries(self.current)

    def rows(self, match: int) -> tuple[Row, ...]:
        """The entries of a match as stored. Raises JournalDamaged if one is missing or altered in both places."""
        found, best = 0, tuple[Row, ...]()
        with told(self.path):
            for copy in formats.rows(self._db, self.format, match)[: None if self.stock.fault else 1]:
                rows = list(copy)
                found, best = max(found, len(rows)), max(best, tuple(_whole(rows)), key=len)
        if len(best) < found or match in self.missing:
            raise damaged(self.path, f"entry {len(best)} of match {match} is not whole")
        return best

    def about(self, match: int) -> About:
        """Return what is known of a match beside its entries."""
        return self.stock.about(match)

    def over(self, match: int) -> bool:
        """Return True if nobody goes on with a match: it has ended, or another began."""
        return match != self.current or self.about(match).ended is not None

    def kept(self, name: str) -> str | None:
        """A setting kept before."""
        return self.settings().get(formats.named(name))

    def settings(self) -> dict[str, str]:
        """All that is kept beside the entries, by its name."""
        return {name: each.value for name, each in self.stock.settings.items()}

    def _refuse_without_head(self) -> None:
        """SQLite throws away the log of a database that is empty, and with it whatever the log holds."""
        log = log_of(self.path)
        empty = not self.path.exists() or not self.path.stat().st_size
        if self.path != MEMORY and empty and (_size(log) or witness_of(self.path).exists()):
            raise damaged(self.path, "it is empty or gone, and what belongs to it is there")

    def _connected(self) -> sqlite3.Connection:
        """Without a log of writes nobody writes, so nothing has to be locked: SQLite then asks for no file beside it,
        which it could not make here."""
        mode = "mode=ro" if _size(log_of(self.path)) else "immutable=1"
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=2.0)

    def _prepare(self) -> None:
        """Begin reading at one moment, also beside a daemon that writes. A file in which nothing was written yet is a
        journal without matches."""
        if self.format == 0:
            self._db.close()
            self._db = sqlite3.connect(":memory:", isolation_level=None)
            formats.bring_up(self._db, self.format)
            self.format = formats.FORMAT
        self._db.execute("BEGIN")

    def _check(self) -> int:
        """The format of a journal whose pages are in order."""
        fault = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            raise damaged(self.path, str(fault).replace("\n", " "))
        found = formats.version(self._db)
        if found.newer:
            raise newer(self.path, f"it (format {found.number})")
        if found.format is None:
            raise damaged(self.path, f"its tables are not of format {found.number}")
        return found.format

    def _taken(self) -> Stock:
        return take_stock(self._db, self.format)

    def _missing(self, said: Witness | None) -> dict[int, int]:
        """Return how many entries are missing by the witness, unless that was reported when the journal was mended."""
        if said is None:
            return {}
        heads = self.stock.heads
        return {
            match: count
            for match, count in said.missing(heads).items()
            if not self.stock.about(match).accounts_for(heads.get(match, NOTHING).count, said.heads[match].count)
        }


def _whole(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of one match, in order, up to the first that is missing or not whole."""
    head = NOTHING
    for row in rows:
        if row.seq != head.count or not row.follows(head.chain):
            return
        yield row
        head = Head(row.seq + 1, row.chain)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
