"""Writes the journal: entries are on disk before their effects are shown (laws 1, 2).

SQLite in WAL mode with synchronous=FULL; groups are atomic. `attest` and `rest` do later work.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from device.journal import formats
from device.journal.errors import JournalError, JournalGone, translated_errors
from device.journal.formats import (
    CURRENT,
    INDEX,
    LOG,
    NOTHING,
    WITNESS,
    ChainHead,
    Row,
    encode_about,
    log_of,
    name_of,
    setting,
    witness_of,
)
from device.journal.match_info import About
from device.journal.raw_pages import PAGE, content, prove
from device.journal.reading import MEMORY, Archive, Stock
from engine.entry import Entry, Start, encode
from vision.files import sync


def set_aside(path: Path, endings: Sequence[str] = (LOG, INDEX, WITNESS, "")) -> Path:
    """Link or copy a journal's files to free names; return the journal's. Safe against power cuts. Raises OSError."""
    name = _free_name(path)
    for ending in endings:
        part, second = path.with_name(path.name + ending), name.with_name(name.name + ending)
        if not part.exists():
            continue
        try:
            os.link(part, second)
        except OSError:  # a file system without links
            shutil.copyfile(part, second)
            second.chmod(0o600)
    return name


def take_place(path: Path, new: Path) -> None:
    """Replace a journal set aside, with log and witness, by a new, closed one. Raises OSError."""
    new.replace(path)
    for ending in (LOG, INDEX, WITNESS):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    if witness_of(new).exists():
        witness_of(new).replace(witness_of(path))


def _free_name(path: Path) -> Path:
    for number in range(1, 1000):
        name = path.with_name(f"{path.name}.damaged-{number}")
        if not any(name.with_name(name.name + ending).exists() for ending in ("", LOG)):
            return name
    raise JournalError(f"{path.parent} holds a thousand damaged journals: move them away")


class Names:
    """The identity of an open journal's files."""

    def __init__(self, path: Path) -> None:
        self._known: dict[str, tuple[int, int]] = {}
        self._names = {ending: f"{path}{ending}" for ending in ("", LOG)}
        self.stand()

    def stand(self) -> bool:
        """Note new files; return True if the names still belong to known ones."""
        for ending, name in self._names.items():
            there = _identity(name)
            if there != self._known.get(ending) and (there is None or self._known.setdefault(ending, there) != there):
                return False
        return True

    def strange(self) -> tuple[str, ...]:
        """Return endings of names that now belong to another journal's files."""
        there = {ending: _identity(name) for ending, name in self._names.items()}
        return tuple(ending for ending, found in there.items() if found not in (None, self._known.get(ending)))


def _identity(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)  # noqa: PTH116  # at every entry, and many times as fast
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


_log = logging.getLogger(__name__)


class Journal(Archive):
    """A journal open for writing."""

    def __init__(self, path: Path = MEMORY) -> None:
        """Open or create a private file, or memory; complete an interrupted write. Raises JournalDamaged,
        JournalError."""
        self._lock, self._attesting, self._closed = threading.RLock(), threading.Lock(), False
        self._attested: formats.Witness | None = None
        self._names: Names | None = None
        self._news: dict[str, formats.Setting] = {}
        _clear_unmade(path)
        self._proof = None if path == MEMORY or not path.exists() else prove(path)
        super().__init__(path)
        if self._proof is not None and self._proof.left:
            _log.warning("%s: a write that power cut short is brought to its end", path)
            self.restore(self._proof.rows, self._proof.settings)
        if path != MEMORY:
            self._names = Names(path)

    def close(self) -> None:
        """Write the witness, logging a fault, and close; do nothing if closed."""
        if self._closed:
            return
        try:
            self.attest()
        except JournalError as error:
            _log.warning("%s", error)
        with self._lock:
            self._closed = True
            super().close()

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries atomically; a leading `Start` begins a new match. Raises JournalError, also for entries without
        a match."""
        self.write(entries)

    def write(
        self,
        entries: Sequence[Entry] = (),
        *,
        settings: Mapping[str, str] | None = None,
        leave: bool = False,
        about: About | None = None,
    ) -> None:
        """Write entries as `append` does, with settings. leave: then leave the match.
        about: the match's description; ignored without a match."""
        with self._lock:
            self._write(entries, settings or {}, leave, about)

    def _write(self, entries: Sequence[Entry], settings: Mapping[str, str], leave: bool, about: About | None) -> None:
        with self._writing():
            match = self.current
            if entries and isinstance(entries[0], Start):
                match = self._new_match()
            elif entries and match is None:
                raise JournalError(f"{self.path}: {len(entries)} entries belong to no match")
            head = self.stock.heads.get(match or 0, NOTHING)
            rows = formats.rows_of(match or 0, head, entries)
            formats.insert(self._db, rows)
            current = None if leave else match
            kept = {formats.setting_key(name): value for name, value in settings.items()}
            if about is not None and match is not None:
                kept[name_of(match)] = encode_about(about)
            if current != self.current:
                kept[CURRENT] = "" if current is None else str(current)
            self._keep(kept)
        self._count(rows)
        self.current = current

    def add(self, entries: Sequence[Entry], about: About | None = None) -> int:
        """Write a whole match beside the current one; return its number. Raises as `append`."""
        (match,) = self.add_all([(entries, about)])
        return match

    def add_all(self, matches: Sequence[tuple[Sequence[Entry], About | None]]) -> tuple[int, ...]:
        """Write whole matches as `add` does, atomically; return their numbers. Raises as `append`."""
        with self._writing():
            first, rows, abouts = self._new_match(), list[Row](), dict[str, str]()
            for match, (entries, about) in enumerate(matches, start=first):
                rows += formats.chain_rows(match, NOTHING, ((0, encode(entry)) for entry in entries))
                if about is not None:
                    abouts[name_of(match)] = encode_about(about)
            formats.insert(self._db, rows)
            self._keep(abouts)
        self._count(rows)
        return tuple(range(first, first + len(matches)))

    def restore(self, rows: Iterable[Row], settings: Mapping[str, str]) -> None:
        """Insert rows and settings of another journal. Raises as `append`."""
        added = tuple(rows)
        with self._writing():
            formats.insert(self._db, added)
            self._keep(settings)
        self._count(added)
        self.current = self.stock.current

    def erase(self, settings: Mapping[str, str], dropped: Collection[int] = ()) -> None:
        """Replace settings and drop matches except their numbers, atomically, overwriting old data. Raises as
        `append`."""
        with self._lock:
            with self._writing():
                for match in dropped:
                    formats.drop(self._db, match)
                self._keep({**settings, **{name_of(match): encode_about(About(dropped=True)) for match in dropped}})
            self._count(())
            heads = {match: head for match, head in self.stock.heads.items() if match not in dropped}
            self.stock = msgspec.structs.replace(self.stock, heads=heads)
        self.rest()

    def compact(self) -> None:
        """Rewrite the database without traces of deleted data. Slow. Raises as `append`."""
        with self._lock, translated_errors(self.path):
            self._db.execute("VACUUM")
        self.rest()

    def leave(self) -> None:
        """Make no match current. Raises as `append`."""
        self.write(leave=True)

    def keep(self, name: str, value: str) -> None:
        """Store a setting, replacing one of its name. Raises as `append`."""
        self.write(settings={name: value})

    def prove(self) -> None:
        """Write a test value to detect a bad disk. Raises as `append`."""
        self.keep("written", "yes")

    @property
    def unattested(self) -> bool:
        """True if the witness is out of date."""
        return self.path != MEMORY and self._witness() != self._attested

    def attest(self) -> None:
        """Write the witness if needed, in up to dozens of milliseconds. Thread-safe. Raises JournalError."""
        with self._attesting:
            with self._lock:
                now = self._witness()
            if self.path == MEMORY or now == self._attested:
                return
            with translated_errors(witness_of(self.path)):
                formats.write_witness(self.path, now)
            self._attested = now

    def rest(self) -> None:
        """Attest, and empty the write log into the database. Thread-safe. Raises JournalError, JournalGone."""
        self.attest()
        with self._lock:
            if self._closed or self.path == MEMORY:
                return
            with translated_errors(self.path):
                self._refuse_without_files()
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _witness(self) -> formats.Witness:
        return formats.Witness(self.stock.heads, self.current, self.stock.stamp)

    def _new_match(self) -> int:
        return max(self.stock.matches, default=0) + 1

    def _count(self, rows: Sequence[Row]) -> None:
        heads = self.stock.heads | {row.match: ChainHead(row.seq + 1, row.chain) for row in rows}
        self.stock = Stock(heads, self.stock.settings | self._news if self._news else self.stock.settings)

    def _keep(self, kept: Mapping[str, str]) -> None:
        if not kept:
            return
        stamp = self.stock.stamp
        self._news = {name: setting(name, value, stamp + n) for n, (name, value) in enumerate(kept.items(), start=1)}
        formats.keep(self._db, self._news.values())

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, translated_errors(self.path):
            self._refuse_without_files()
            self._news = {}
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._forget()
                raise

    def _forget(self) -> None:
        """Remove a rolled-back transaction from the write log, so salvage won't find it."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _connect(self) -> sqlite3.Connection:
        if self.path != MEMORY:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _make_private(self.path)
        return sqlite3.connect(self.path, isolation_level=None, timeout=2.0, check_same_thread=False)

    def _check(self) -> int:
        return super()._check() if self._proof is None else formats.version(self._db).number

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
        if self.format == formats.FORMAT:
            return
        self._db.execute("BEGIN IMMEDIATE")
        formats.migrate(self._db, self.format)
        self._db.execute("COMMIT")
        self.format = formats.FORMAT

    def _take_stock(self) -> Stock:
        if self._proof is None or self._proof.format != self.format:
            return super()._take_stock()
        return self._proof.stock

    def _refuse_without_files(self) -> None:
        """Rebuild removed or exchanged files, then raise JournalGone; do nothing otherwise."""
        if self._names is None or self._names.stand():
            return
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        self._db.execute("VACUUM INTO ?", (str(draft),))
        draft.chmod(0o600)
        self._db.close()
        if strange := self._names.strange():
            _log.error("what lies there now is kept as %s", set_aside(self.path, strange))
        take_place(self.path, draft)
        sync(self.path.parent)
        self._db = self._connect()
        self._prepare()
        self._attested, self._names = None, Names(self.path)
        raise JournalGone(f"{self.path} was taken away or exchanged while it was in use; it is written again")


def _clear_unmade(path: Path) -> None:
    """Empty a journal of zeros only, as a power cut leaves it, and delete its log."""
    with translated_errors(path):
        if path == MEMORY or not path.is_file() or not 0 < path.stat().st_size <= PAGE or witness_of(path).exists():
            return
        if not any(content(path)) and not any(content(log_of(path))):
            log_of(path).unlink(missing_ok=True)
            os.truncate(path, 0)


def _make_private(path: Path) -> None:
    with suppress(OSError):
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
        elif path.is_file() and path.stat().st_mode & 0o077:
            path.chmod(0o600)
