"""Reads a journal without writing, even from a full disk or beside the daemon, and surveys its records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from device.journal import formats
from device.journal.errors import damage_error, newer, translated_errors
from device.journal.formats import (
    CURRENT,
    NOTHING,
    ChainHead,
    Row,
    Setting,
    Witness,
    decode_about,
    log_of,
    match_of,
    name_of,
    number_of,
    witness_of,
)
from device.journal.match_info import About
from engine.entry import Entry, decode


class Stock(msgspec.Struct, frozen=True):
    """A journal's contents.

    heads: intact parts.
    settings: intact ones by key.
    fault: first damage, or "".
    """

    heads: dict[int, ChainHead] = {}
    settings: dict[str, Setting] = {}
    fault: str = ""

    @property
    def stamp(self) -> int:
        """The newest setting's stamp."""
        return max((each.stamp for each in self.settings.values()), default=0)

    @property
    def current(self) -> int | None:
        found = self.settings.get(CURRENT)
        return None if found is None else number_of(found.value)

    def about(self, match: int) -> About:
        found = self.settings.get(name_of(match))
        return About() if found is None else decode_about(found.value)

    @property
    def matches(self) -> frozenset[int]:
        """All match numbers, lost ones included."""
        named = map(match_of, self.settings)
        return frozenset({*self.heads, *(match for match in named if match is not None)})


def take_stock(db: sqlite3.Connection, version: int) -> Stock:
    """Read every record of each copy; return the intact ones and the first damage."""
    walked = [_walk(rows) for rows in formats.rows(db, version)]
    heads = [found for found, _ in walked]
    fault = next((fault for _, fault in walked if fault), "")
    settings = [list(each) for each in formats.settings(db, version)]
    if any(each != heads[0] for each in heads):
        fault = fault or "an entry is not in both places"
    if any(each != settings[0] or not all(one.whole for one in each) for each in settings):
        fault = fault or "a setting is not whole"
    best = {match: max((each.get(match, NOTHING) for each in heads), key=_count) for each in heads for match in each}
    return _sensible(best, fault, [one for each in settings for one in each if one.whole])


def _walk(rows: Iterable[Row]) -> tuple[dict[int, ChainHead], str]:
    heads: dict[int, ChainHead] = {}
    waiting: dict[int, int] = {}
    fault = ""
    for row in rows:
        head = heads.setdefault(row.match, NOTHING)
        if row.seq == head.count and row.follows(head.chain) and waiting.get(row.match, row.more) == row.more:
            heads[row.match] = ChainHead(head.count + 1, row.chain)
            waiting[row.match] = row.more - 1
            if row.more == 0:
                del waiting[row.match]
        else:
            fault = fault or f"entry {head.count} of match {row.match} is not whole"
    for match in waiting:
        fault = fault or f"entry {heads[match].count} of match {match} is missing"
    return heads, fault


def _sensible(heads: dict[int, ChainHead], fault: str, settings: list[Setting]) -> Stock:
    found = Stock(heads, {each.name: each for each in settings}, fault)
    current = found.settings.get(CURRENT)
    if current is None or not current.value or found.current is not None:
        return found
    del found.settings[CURRENT]
    return msgspec.structs.replace(found, fault=fault or "the number of the current match is none")


def _count(head: ChainHead) -> int:
    return head.count


MEMORY = Path(":memory:")


class Archive:
    """A journal opened for reading; a context manager.

    current: current match's number, or None.
    missing: counts of entries, by match.
    unwitnessed: more may be missing.
    """

    current: int | None
    stock: Stock

    def __init__(self, path: Path) -> None:
        """Open it. Raises JournalDamaged, JournalNewer, JournalError; for a damaged match only on access."""
        self.path = path
        said = formats.read_witness(path) if path != MEMORY else None  # first: a daemon may be writing both
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
        """Return the matches with entries, oldest first."""
        with translated_errors(self.path):
            return formats.matches(self._db, self.format)

    def entries(self, match: int) -> tuple[Entry, ...]:
        """Return a match's entries; () for an unknown match. Raises JournalDamaged, JournalNewer, JournalError."""
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
        """Return a match's rows; () for an unknown match. Raises JournalDamaged if one is missing, or damaged in both
        copies."""
        found, best = 0, tuple[Row, ...]()
        with translated_errors(self.path):
            for copy in formats.rows(self._db, self.format, match)[: None if self.stock.fault else 1]:
                rows = list(copy)
                found, best = max(found, len(rows)), max(best, tuple(_whole(rows)), key=len)
        if len(best) < found or match in self.missing:
            raise damage_error(self.path, f"entry {len(best)} of match {match} is not whole")
        return best

    def about(self, match: int) -> About:
        return self.stock.about(match)

    def over(self, match: int) -> bool:
        """Return True if a match has ended or was left."""
        return match != self.current or self.about(match).ended is not None

    def setting(self, name: str) -> str | None:
        """Return a stored setting; None if missing."""
        return self.settings().get(formats.setting_key(name))

    def settings(self) -> dict[str, str]:
        """Return all settings by key."""
        return {name: each.value for name, each in self.stock.settings.items()}

    def _refuse_without_head(self) -> None:
        """Refuse an empty database with a witness or a log, which SQLite would delete."""
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
            formats.migrate(self._db, self.format)
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
