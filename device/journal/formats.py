"""The tables of a journal. Format 2 is written; format 1 is read as it is, and brought up to format 2 when it is opened
to be written.

Format 2 keeps every record twice, in a table and in an index over all of its columns: on two pages, so that one bad
sector costs nothing. A commit writes no more pages for it than an index over match and place alone would ask for.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator

import msgspec

from device.journal.rows import NOTHING, Head, Row, Setting, chained, setting

FORMAT = 2
_NO_FORMAT = 1000
"""So many there will never be: such a number was not written, but came of damage."""

_PLACES = 1 << 24
"""Entries that a match may have: the key of an entry is its match and its place in one number."""

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
COPIES = (0, 1)
"""The table, and the index that repeats it."""


class Version(msgspec.Struct, frozen=True):
    """What a database holds. format: 0: nothing yet; None: this cannot be, so it is damaged. newer: of the future."""

    number: int
    format: int | None
    newer: bool


def version(db: sqlite3.Connection) -> Version:
    """The number and the tables must agree: one bit makes another number, and no journal may be lost for it."""
    number: int = db.execute("PRAGMA user_version").fetchone()[0]
    tables = [str(name) for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {name: tuple(row[1] for row in db.execute(f'PRAGMA table_info("{name}")')) for name in tables}
    known = {0: {}, 1: _ONE, 2: _TWO}
    if columns == known.get(number):
        return Version(number, number, False)
    return Version(number, None, FORMAT < number < _NO_FORMAT and columns not in (_ONE, _TWO))


def make(db: sqlite3.Connection) -> None:
    """Makes the tables, inside a transaction."""
    for statement in _MAKE:
        db.execute(statement)
    db.execute(f"PRAGMA user_version={FORMAT}")


def bring_up(db: sqlite3.Connection) -> None:
    """Turns a whole journal of format 1 into one of format 2, inside a transaction."""
    entries, kept = list(rows_one(db)), dict(settings_one(db))
    for name in _ONE:
        db.execute(f"DROP TABLE {name}")
    make(db)
    insert(db, entries)
    keep(db, (setting(name, value, stamp) for stamp, (name, value) in enumerate(kept.items(), start=1)))


def insert(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """SQLite refuses a row whose place is taken."""
    db.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
        ((row.match * _PLACES + row.seq, row.match, row.seq, row.more, row.data, row.chain) for row in rows),
    )


def keep(db: sqlite3.Connection, settings: Iterable[Setting]) -> None:
    """Each takes the place of the one of its name."""
    for each in settings:
        db.execute("DELETE FROM settings WHERE name = ?", (each.name,))
        values = (each.name, each.value, each.stamp, each.proof)
        db.execute("INSERT INTO settings (name, value, stamp, proof) VALUES (?, ?, ?, ?)", values)


def matches(db: sqlite3.Connection, version: int) -> tuple[int, ...]:
    """The numbers of all matches, oldest first."""
    found = db.execute(f"SELECT DISTINCT match FROM {'entry' if version == 1 else 'entries'} ORDER BY match")
    return tuple(number for (number,) in found if isinstance(number, int))


def rows(db: sqlite3.Connection, version: int, copy: int, match: int | None = None) -> Iterator[Row]:
    """Rows of one match or of all, whole or not, in order."""
    return rows_one(db, match) if version == 1 else rows_two(db, copy, match)


def rows_two(db: sqlite3.Connection, copy: int = 0, match: int | None = None) -> Iterator[Row]:
    """Rows of one match or of all, whole or not, in order. What damage left without its numbers is no row."""
    first, last = (0, 1 << 38) if match is None else (match, match)
    places = {"first": first, "last": last, "low": first * _PLACES, "high": last * _PLACES + _PLACES - 1}
    return filter(None, map(row_of, db.execute(_ENTRIES[copy], places)))


def row_of(values: tuple[object, ...]) -> Row | None:
    """A row of these values, whole or not; None if they cannot be one."""
    match values:
        case (int(match), int(seq), int(more), bytes(data), bytes(chain)) if min(match, seq, more) >= 0:
            return Row(match, seq, more, data, chain)
        case _:
            return None


def settings_two(db: sqlite3.Connection, copy: int) -> Iterator[Setting]:
    """Settings, whole or not."""
    return filter(None, map(setting_of, db.execute(_SETTINGS[copy])))


def setting_of(values: tuple[object, ...]) -> Setting | None:
    """A setting of these values, whole or not; None if they cannot be one."""
    match values:
        case (str(name), str(value), int(stamp), bytes(proof)) if stamp >= 0:
            return Setting(name, value, stamp, proof)
        case _:
            return None


def rows_one(db: sqlite3.Connection, match: int | None = None) -> Iterator[Row]:
    """Rows of a journal of format 1, where each had a CRC of its own, chained as they would be today; one that is not
    whole has no chain value."""
    only = "" if match is None else f"WHERE match = {match:d}"
    heads: dict[int, Head] = {}
    found = db.execute(f"SELECT match, seq, CAST(data AS BLOB), crc FROM entry {only} ORDER BY match, seq")
    for values in found:
        if (old := old_of(values)) is None:
            continue
        number, seq, data, whole = old
        head = heads.get(number, NOTHING)
        fits = whole and seq == head.count
        row = Row(number, seq, 0, data, chained(head.chain, number, seq, 0, data) if fits else b"")
        if fits:
            heads[number] = Head(seq + 1, row.chain)
        yield row


def old_of(values: tuple[object, ...]) -> tuple[int, int, bytes, bool] | None:
    """Match, place, content of an entry of format 1, and whether it is whole; None if these values cannot be one."""
    match values:
        case (int(match), int(seq), bytes() | str() | None as data, crc) if min(match, seq) >= 0:
            content = data.encode() if isinstance(data, str) else data or b""
            return match, seq, content, zlib.crc32(content) == crc
        case _:
            return None


def settings_one(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield what a journal of format 1 stores beside its matches."""
    for name, value in db.execute("SELECT name, value FROM kept"):
        yield str(name), str(value)
