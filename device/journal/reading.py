"""Reads a journal without writing, even from a full disk or beside the daemon."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from device.journal import formats
from device.journal.errors import damage_error, newer, translated_errors
from device.journal.formats import NOTHING, ChainHead, Row, Witness, log_of, witness_of
from device.journal.inventory import Stock, take_stock
from device.journal.match_info import About
from engine.entry import Entry, decode

MEMORY = Path(":memory:")


class Archive:
    """A journal opened for reading; a context manager.

    current: match in progress.
    missing: entries by match.
    unwitnessed: more may be missing.
    """

    current: int | None
    stock: Stock

    def __init__(self, path: Path) -> None:
        """Open it. Raises JournalDamaged, JournalNewer, JournalError. A damaged match is reported on access and in
        `missing`."""
        self.path = path
        said = formats.read_witness(path) if path != MEMORY else None  # first: a daemon may write both meanwhile
        with translated_errors(path):
            self._refuse_without_head()
            self._db = self._connect()
            try:
                self.format = self._check()
                self._prepare()
                self.stock = self._take_stock()
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
        """Return all match numbers, oldest first."""
        with translated_errors(self.path):
            return formats.matches(self._db, self.format)

    def entries(self, match: int) -> tuple[Entry, ...]:
        """Return a match's entries. Raises JournalDamaged, JournalNewer."""
        found: list[Entry] = []
        for row in self.rows(match):
            try:
                found.append(decode(row.data))
            except ValueError as error:  # also what msgspec raises
                raise newer(self.path, f"entry {row.seq} of match {match}") from error
        return tuple(found)

    def current_entries(self) -> tuple[Entry, ...]:
        """Return the current match's entries; () without one. Raises as `entries`."""
        return () if self.current is None else self.entries(self.current)

    def rows(self, match: int) -> tuple[Row, ...]:
        """Return a match's rows. Raises JournalDamaged if one is damaged in both copies."""
        found, best = 0, tuple[Row, ...]()
        with translated_errors(self.path):
            for copy in formats.rows(self._db, self.format, match)[: None if self.stock.fault else 1]:
                rows = list(copy)
                found, best = max(found, len(rows)), max(best, tuple(_whole(rows)), key=len)
        if len(best) < found or match in self.missing:
            raise damage_error(self.path, f"entry {len(best)} of match {match} is not whole")
        return best

    def about(self, match: int) -> About:
        """Return a match's description."""
        return self.stock.about(match)

    def over(self, match: int) -> bool:
        """Return True if a match has ended or was left."""
        return match != self.current or self.about(match).ended is not None

    def setting(self, name: str) -> str | None:
        """Return a stored setting."""
        return self.settings().get(formats.setting_key(name))

    def settings(self) -> dict[str, str]:
        """Return all settings by key."""
        return {name: each.value for name, each in self.stock.settings.items()}

    def _refuse_without_head(self) -> None:
        """Raise JournalDamaged for an empty database with a log, which SQLite would delete."""
        log = log_of(self.path)
        empty = not self.path.exists() or not self.path.stat().st_size
        if self.path != MEMORY and empty and (_size(log) or witness_of(self.path).exists()):
            raise damage_error(self.path, "it is empty or gone, and what belongs to it is there")

    def _connect(self) -> sqlite3.Connection:
        """Open without locks if there is no write log."""
        mode = "mode=ro" if _size(log_of(self.path)) else "immutable=1"
        return sqlite3.connect(f"{self.path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=2.0)

    def _prepare(self) -> None:
        """Start one consistent read; treat an empty file as an empty journal."""
        if self.format == 0:
            self._db.close()
            self._db = sqlite3.connect(":memory:", isolation_level=None)
            formats.bring_up(self._db, self.format)
            self.format = formats.FORMAT
        self._db.execute("BEGIN")

    def _check(self) -> int:
        fault = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            raise damage_error(self.path, str(fault).replace("\n", " "))
        found = formats.version(self._db)
        if found.newer:
            raise newer(self.path, f"it (format {found.number})")
        if found.format is None:
            raise damage_error(self.path, f"its tables are not of format {found.number}")
        return found.format

    def _take_stock(self) -> Stock:
        return take_stock(self._db, self.format)

    def _missing(self, said: Witness | None) -> dict[int, int]:
        if said is None:
            return {}
        heads = self.stock.heads
        return {
            match: count
            for match, count in said.missing(heads).items()
            if not self.stock.about(match).accounts_for(heads.get(match, NOTHING).count, said.heads[match].count)
        }


def _whole(rows: Iterable[Row]) -> Iterator[Row]:
    head = NOTHING
    for row in rows:
        if row.seq != head.count or not row.follows(head.chain):
            return
        yield row
        head = ChainHead(row.seq + 1, row.chain)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
