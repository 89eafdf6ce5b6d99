"""Defines the journal's stored form: files, tables, rows, settings and proofs.

Format 2 is written; format 1 is read, and converted for writing. Format 2 has records in a table and a covering index,
so one bad sector loses nothing.

A row's chain value is a BLAKE2b hash (16 bytes, unkeyed) over the previous one, match, place, group and content:
against damage, not forgery.

A witness file records the journal's extent, to notice a missing end; it may lag behind.
"""

from __future__ import annotations

import logging
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from device.journal.match_info import About
from engine.entry import Entry, encode
from vision.files import write_whole

LOG, INDEX, WITNESS = "-wal", "-shm", "-witness"
"""File endings: SQLite's write log and its index, and the witness."""

CURRENT = "current"
"""Setting with the current match's number, or ""."""

FORMAT = 2
_NO_FORMAT = 1000
"""Limit of format numbers; a higher one is damage."""

_PLACES = 1 << 24
"""Most entries per match; an entry's id is match * _PLACES + seq."""

_MAKE = (
    """CREATE TABLE entries (id INTEGER PRIMARY KEY, match INTEGER NOT NULL, seq INTEGER NOT NULL,
    more INTEGER NOT NULL, data BLOB NOT NULL, chain BLOB NOT NULL)""",
    "CREATE INDEX entries_again ON entries (match, seq, more, data, chain)",
    """CREATE TABLE settings (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL, stamp INTEGER NOT NULL,
    proof BLOB NOT NULL)""",
    "CREATE INDEX settings_again ON settings (name, value, stamp, proof)",
)
_ONE = {"entry": ("id", "match", "seq", "data", "crc"), "kept": ("name", "value")}
_TWO = {
    "entries": ("id", "match", "seq", "more", "data", "chain"),
    "settings": ("id", "name", "value", "stamp", "proof"),
}

_COLUMNS = "match, seq, more, CAST(data AS BLOB), CAST(chain AS BLOB)"
_ENTRIES = (
    f"SELECT {_COLUMNS} FROM entries NOT INDEXED WHERE id BETWEEN :low AND :high ORDER BY id",
    f"SELECT {_COLUMNS} FROM entries INDEXED BY entries_again WHERE match BETWEEN :first AND :last ORDER BY match, seq",
)
_SETTINGS = tuple(
    f"SELECT name, value, stamp, CAST(proof AS BLOB) FROM settings {copy} ORDER BY name"
    for copy in ("NOT INDEXED", "INDEXED BY settings_again")
)

_PROOF = 16
"""Bytes of a chain value or a setting's proof."""

ORIGIN = bytes(_PROOF)
"""Chain value before a match's first entry."""

_PLACE = struct.Struct(">QQQ")

_LARGEST_WITNESS = 1 << 24
"""Bytes, for about half a million matches."""

_ABOUT, _SET = "match.", "set."
"""Key prefixes of match descriptions and other settings."""

_log = logging.getLogger(__name__)


class Row(msgspec.Struct, frozen=True):
    """A stored entry. seq: number in the match, from 0. more: entries of its group that follow."""

    match: int
    seq: int
    more: int
    data: bytes
    chain: bytes

    def follows(self, before: bytes) -> bool:
        """Return True if the row is intact and follows this chain value."""
        return self.chain == chain_value(before, self.match, self.seq, self.more, self.data)


class ChainHead(msgspec.Struct, frozen=True):
    """A match's number of entries and last chain value."""

    count: int = 0
    chain: bytes = ORIGIN


NOTHING = ChainHead()
"""ChainHead before the first entry."""


class Setting(msgspec.Struct, frozen=True):
    """A named value. stamp: number of its write among all settings."""

    name: str
    value: str
    stamp: int
    proof: bytes

    @property
    def whole(self) -> bool:
        return self.proof == _proof(self.name, self.value, self.stamp)


class OldRow(msgspec.Struct, frozen=True):
    """An entry of format 1. whole: its checksum is right."""

    match: int
    seq: int
    data: bytes
    whole: bool


class OldSetting(msgspec.Struct, frozen=True):
    """A setting of format 1, without a proof."""

    name: str
    value: str


class Witness(msgspec.Struct, frozen=True):
    """The recorded extent of a journal. heads: by match. stamp: of the newest setting."""

    heads: dict[int, ChainHead] = {}
    current: int | None = None
    stamp: int = 0
    version: int = 1

    def missing(self, heads: dict[int, ChainHead]) -> dict[int, int]:
        """Return counts of entries missing from these heads, by match."""
        counts = {match: head.count - heads.get(match, NOTHING).count for match, head in self.heads.items()}
        return {match: count for match, count in counts.items() if count > 0}


class Version(msgspec.Struct, frozen=True):
    """A database's version. format: 0 if empty, None if unknown or damaged. newer: a later program's."""

    number: int
    format: int | None
    newer: bool


def chain_value(before: bytes, match: int, seq: int, more: int, data: bytes) -> bytes:
    """Return a row's chain value. Numbers must be below 2 ** 64."""
    return blake2b(before + _PLACE.pack(match, seq, more) + data, digest_size=_PROOF, person=b"referee entry").digest()


def rows_of(match: int, head: ChainHead, entries: Sequence[Entry]) -> tuple[Row, ...]:
    """Return a group of entries as rows after `head`."""
    return chain_rows(match, head, ((len(entries) - n - 1, encode(entry)) for n, entry in enumerate(entries)))


def chain_rows(match: int, head: ChainHead, contents: Iterable[tuple[int, bytes]]) -> tuple[Row, ...]:
    """Return rows after `head`, chained, with these contents (`more`, `data`)."""
    rows, before = [], head.chain
    for seq, (more, data) in enumerate(contents, start=head.count):
        before = chain_value(before, match, seq, more, data)
        rows.append(Row(match, seq, more, data, before))
    return tuple(rows)


def setting(name: str, value: str, stamp: int) -> Setting:
    """Return a setting with its proof."""
    return Setting(name, value, stamp, _proof(name, value, stamp))


def setting_key(name: str) -> str:
    return f"{_SET}{name}"


def name_of(match: int) -> str:
    """Return the key of a match's description."""
    return f"{_ABOUT}{match}"


def match_of(name: str) -> int | None:
    """Return the match of a description's key; None for other keys."""
    return number_of(name.removeprefix(_ABOUT)) if name.startswith(_ABOUT) else None


def number_of(value: str) -> int | None:
    """Return text as a match's number; None if it isn't one."""
    return int(value) if value.isascii() and value.isdigit() else None


def encode_about(about: About) -> str:
    return msgspec.json.encode(about, order="deterministic").decode()


def decode_about(value: str) -> About:
    """Decode an About, ignoring unknown fields. Raises ValueError."""
    return msgspec.json.decode(value, type=About)


def _proof(name: str, value: str, stamp: int) -> bytes:
    content = _PLACE.pack(stamp, len(name), len(value)) + f"{name}{value}".encode(errors="surrogatepass")
    return blake2b(content, digest_size=_PROOF, person=b"referee setting").digest()


def version(db: sqlite3.Connection) -> Version:
    number: int = db.execute("PRAGMA user_version").fetchone()[0]
    tables = [str(name) for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {name: tuple(row[1] for row in db.execute(f'PRAGMA table_info("{name}")')) for name in tables}
    known = {0: {}, 1: _ONE, 2: _TWO}
    if columns == known.get(number):
        return Version(number, number, False)
    return Version(number, None, FORMAT < number < _NO_FORMAT and columns not in (_ONE, _TWO))


def make(db: sqlite3.Connection) -> None:
    """Make the tables of format 2, in the caller's transaction."""
    for statement in _MAKE:
        db.execute(statement)
    db.execute(f"PRAGMA user_version={FORMAT}")


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Convert an empty (version 0) or intact format 1 database to `FORMAT`, in the caller's transaction."""
    entries = [row for each in rows(db, version) for row in each]
    kept = [each for copy in settings(db, version) for each in copy]
    for name in _ONE if version else ():
        db.execute(f"DROP TABLE {name}")
    make(db)
    insert(db, entries)
    keep(db, (setting(each.name, each.value, stamp) for stamp, each in enumerate(kept, start=1)))


def insert(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Insert rows. Raises sqlite3.IntegrityError if an entry exists."""
    db.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
        ((row.match * _PLACES + row.seq, row.match, row.seq, row.more, row.data, row.chain) for row in rows),
    )


def drop(db: sqlite3.Connection, match: int) -> None:
    """Delete a match's entries."""
    db.execute("DELETE FROM entries WHERE match = ?", (match,))


def keep(db: sqlite3.Connection, settings: Iterable[Setting]) -> None:
    """Store settings, replacing older ones of the same names."""
    for each in settings:
        db.execute("DELETE FROM settings WHERE name = ?", (each.name,))
        values = (each.name, each.value, each.stamp, each.proof)
        db.execute("INSERT INTO settings (name, value, stamp, proof) VALUES (?, ?, ?, ?)", values)


def matches(db: sqlite3.Connection, version: int) -> tuple[int, ...]:
    """Return the matches with entries, oldest first."""
    found = db.execute(f"SELECT DISTINCT match FROM {'entry' if version == 1 else 'entries'} ORDER BY match")
    return tuple(number for (number,) in found if isinstance(number, int))


def rows(db: sqlite3.Connection, version: int, match: int | None = None) -> tuple[Iterator[Row], ...]:
    """Return each copy's rows in order, damaged ones included; () for an empty database. match: None for all."""
    if version == 1:
        return (_rows_one(db, match),)
    return tuple(_rows_two(db, statement, match) for statement in _ENTRIES if version)


def settings(db: sqlite3.Connection, version: int) -> tuple[Iterator[Setting], ...]:
    """Return each copy's settings, damaged ones included; () for an empty database."""
    if version == 1:
        return ((setting(str(name), str(value), 0) for name, value in db.execute("SELECT name, value FROM kept")),)
    return tuple(filter(None, map(_setting, db.execute(statement))) for statement in _SETTINGS if version)


def _rows_two(db: sqlite3.Connection, statement: str, match: int | None) -> Iterator[Row]:
    first, last = (0, 1 << 38) if match is None else (match, match)
    places = {"first": first, "last": last, "low": first * _PLACES, "high": last * _PLACES + _PLACES - 1}
    yield from filter(None, map(_row, db.execute(statement, places)))


def _rows_one(db: sqlite3.Connection, match: int | None) -> Iterator[Row]:
    """Yield rows of format 1, chained as in format 2."""
    only = "" if match is None else f"WHERE match = {match:d}"
    heads: dict[int, ChainHead] = {}
    found = db.execute(f"SELECT match, seq, CAST(data AS BLOB), crc FROM entry {only} ORDER BY match, seq")
    for old in filter(None, map(_old_row, found)):
        head = heads.get(old.match, NOTHING)
        fits = old.whole and old.seq == head.count
        chain = chain_value(head.chain, old.match, old.seq, 0, old.data) if fits else b""
        if fits:
            heads[old.match] = ChainHead(old.seq + 1, chain)
        yield Row(old.match, old.seq, 0, old.data, chain)


def parse_record(record: tuple[object, ...]) -> Row | OldRow | Setting | OldSetting | None:
    """Return a raw record as a row or setting, perhaps damaged; None for other forms."""
    found: Row | OldRow | Setting | OldSetting | None = None
    match record:
        case (None, _, _, _, bytes(), bytes(chain)) if len(chain) == _PROOF:
            found = _row(record[1:])
        case (int(), int(), int(), bytes(), bytes(chain), int()) if len(chain) == _PROOF:
            found = _row(record[:5])
        case (None, str(), str(), int(), bytes()):
            found = _setting(record[1:])
        case (str(), str(), int(), bytes(), int()):
            found = _setting(record[:4])
        case (None, int(), int(), bytes() | str(), int()):
            found = _old_row(record[1:])
        case (str(name), str(value)):
            found = OldSetting(name, value)
    return found


def _row(values: tuple[object, ...]) -> Row | None:
    match values:
        case (int(match), int(seq), int(more), bytes(data), bytes(chain)) if min(match, seq, more) >= 0:
            return Row(match, seq, more, data, chain)
        case _:
            return None


def _setting(values: tuple[object, ...]) -> Setting | None:
    match values:
        case (str(name), str(value), int(stamp), bytes(proof)) if stamp >= 0:
            return Setting(name, value, stamp, proof)
        case _:
            return None


def _old_row(values: tuple[object, ...]) -> OldRow | None:
    match values:
        case (int(match), int(seq), bytes() | str() | None as data, crc) if min(match, seq) >= 0:
            content = data.encode() if isinstance(data, str) else data or b""
            return OldRow(match, seq, content, zlib.crc32(content) == crc)
        case _:
            return None


def log_of(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}{LOG}")


def witness_of(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}{WITNESS}")


def write_witness(journal: Path, witness: Witness) -> None:
    """Write the witness. Raises OSError."""
    body = msgspec.json.encode(witness)
    write_whole(witness_of(journal), body + b"\n" + _sum(body) + b"\n", mode=0o600)


def read_witness(journal: Path) -> Witness | None:
    """Read the witness; None if missing, or damaged, which is logged."""
    path = witness_of(journal)
    try:
        if path.stat().st_size > _LARGEST_WITNESS:
            raise ValueError("it is too large")
        body, found = path.read_bytes().split(b"\n")[:2]
        if found != _sum(body):
            raise ValueError("it was altered")
        return msgspec.json.decode(body, type=Witness)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be used (%s): whether the newest entries are missing cannot be told", path, error)
        return None


def _sum(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()
