"""The stored form of a journal: its files, tables, rows, settings, and the proofs that nothing in them changed.

No other module knows a column, a checksum, a key of a setting or the ending of a file's name.

Format 2 is written; format 1 is read as it is, and brought up to format 2 when it is opened to be written. Format 2
keeps every record twice, in a table and in an index over all of its columns: on two pages, so that one bad sector costs
nothing. A commit writes no more pages for it than an index over match and place alone would ask for.

The chain value of a row covers the row before, match, place, group and content, so that a row that was altered, moved,
doubled or put into another match does not fit any more. It is a keyed name of BLAKE2b, cut to 16 bytes: a guard against
a bad medium, not against somebody who wants to forge a match.

A journal that lost its end looks whole; only somebody else can tell that something is missing: the witness, a small
file beside the journal that says how much the journal held when the witness was written. It is written whole, when the
displays are served, so an entry younger than it can be missing without its word.
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
"""Endings of the files beside a journal: SQLite's log of writes and its index, and the witness."""

CURRENT = "current"
"""The setting that holds the number of the match that goes on; "" if none does."""

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

_PROOF = 16
"""Bytes of a chain value, and of the proof of a setting."""

ORIGIN = bytes(_PROOF)
"""The chain value before the first entry of a match."""

_PLACE = struct.Struct(">QQQ")

_LARGEST_WITNESS = 1 << 24
"""Bytes: some half a million matches."""

_ABOUT, _SET = "match.", "set."
"""Prefixes of settings' keys: for facts about a match, and for those that other parts keep."""

_log = logging.getLogger(__name__)


class Row(msgspec.Struct, frozen=True):
    """One entry as stored. more: so many of the entries that were accepted together with it follow."""

    match: int
    seq: int
    more: int
    data: bytes
    chain: bytes

    def follows(self, before: bytes) -> bool:
        """Return True if the row is whole, and comes right after the one with this chain value."""
        return self.chain == chained(before, self.match, self.seq, self.more, self.data)


class Head(msgspec.Struct, frozen=True):
    """The state of a match in the journal: the number of its entries, and the chain value of the last one."""

    count: int = 0
    chain: bytes = ORIGIN


NOTHING = Head()
"""Of a match before its first entry."""


class Setting(msgspec.Struct, frozen=True):
    """Something kept by its name. stamp: it counts what was ever kept in this journal, so that the newest is known."""

    name: str
    value: str
    stamp: int
    proof: bytes

    @property
    def whole(self) -> bool:
        return self.proof == _proof(self.name, self.value, self.stamp)


class OldRow(msgspec.Struct, frozen=True):
    """An entry of format 1. whole: it has the checksum with which it was written."""

    match: int
    seq: int
    data: bytes
    whole: bool


class OldSetting(msgspec.Struct, frozen=True):
    """A setting of format 1, without a proof."""

    name: str
    value: str


class Witness(msgspec.Struct, frozen=True):
    """What was in the journal. heads: number of entries and chain value of each match; stamp: of the newest setting."""

    heads: dict[int, Head] = {}
    current: int | None = None
    stamp: int = 0
    version: int = 1

    def missing(self, heads: dict[int, Head]) -> dict[int, int]:
        """Return how many entries of each match are missing."""
        counts = {match: head.count - heads.get(match, NOTHING).count for match, head in self.heads.items()}
        return {match: count for match, count in counts.items() if count > 0}


class Version(msgspec.Struct, frozen=True):
    """What a database holds. format: 0: nothing yet; None: this cannot be, so it is damaged. newer: of the future."""

    number: int
    format: int | None
    newer: bool


def chained(before: bytes, match: int, seq: int, more: int, data: bytes) -> bytes:
    """Return the chain value of a row after the one with the chain value `before`. Numbers are below 2 ** 64."""
    return blake2b(before + _PLACE.pack(match, seq, more) + data, digest_size=_PROOF, person=b"referee entry").digest()


def rows_of(match: int, head: Head, entries: Sequence[Entry]) -> tuple[Row, ...]:
    """Return entries that are accepted together, as they are stored after the ones that are there."""
    return linked(match, head, ((len(entries) - n - 1, encode(entry)) for n, entry in enumerate(entries)))


def linked(match: int, head: Head, contents: Iterable[tuple[int, bytes]]) -> tuple[Row, ...]:
    """Return rows with these contents (`more`, `data`), chained to what is there."""
    rows, before = [], head.chain
    for seq, (more, data) in enumerate(contents, start=head.count):
        before = chained(before, match, seq, more, data)
        rows.append(Row(match, seq, more, data, before))
    return tuple(rows)


def setting(name: str, value: str, stamp: int) -> Setting:
    """Return a setting with its proof."""
    return Setting(name, value, stamp, _proof(name, value, stamp))


def named(name: str) -> str:
    """Return the key of a setting that somebody keeps by this name."""
    return f"{_SET}{name}"


def name_of(match: int) -> str:
    """Return the key by which the journal keeps what it knows of a match."""
    return f"{_ABOUT}{match}"


def match_of(name: str) -> int | None:
    """Return the match that the setting with this key is about; None if it is about none."""
    return number_of(name.removeprefix(_ABOUT)) if name.startswith(_ABOUT) else None


def number_of(value: str) -> int | None:
    """Return the number of a match, such as the value of CURRENT; None if it is none."""
    return int(value) if value.isascii() and value.isdigit() else None


def encoded(about: About) -> str:
    return msgspec.json.encode(about, order="deterministic").decode()


def decoded(value: str) -> About:
    """Decode an About, without what a later referee added."""
    return msgspec.json.decode(value, type=About)


def _proof(name: str, value: str, stamp: int) -> bytes:
    content = _PLACE.pack(stamp, len(name), len(value)) + f"{name}{value}".encode(errors="surrogatepass")
    return blake2b(content, digest_size=_PROOF, person=b"referee setting").digest()


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
    """Make the tables of format 2, inside a transaction."""
    for statement in _MAKE:
        db.execute(statement)
    db.execute(f"PRAGMA user_version={FORMAT}")


def bring_up(db: sqlite3.Connection, version: int) -> None:
    """Turn an empty database, or a whole journal of format 1, into one of format 2, inside a transaction."""
    entries = [row for each in rows(db, version) for row in each]
    kept = [each for copy in settings(db, version) for each in copy]
    for name in _ONE if version else ():
        db.execute(f"DROP TABLE {name}")
    make(db)
    insert(db, entries)
    keep(db, (setting(each.name, each.value, stamp) for stamp, each in enumerate(kept, start=1)))


def insert(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """SQLite refuses a row whose place is taken."""
    db.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
        ((row.match * _PLACES + row.seq, row.match, row.seq, row.more, row.data, row.chain) for row in rows),
    )


def drop(db: sqlite3.Connection, match: int) -> None:
    """Delete all entries of a match."""
    db.execute("DELETE FROM entries WHERE match = ?", (match,))


def keep(db: sqlite3.Connection, settings: Iterable[Setting]) -> None:
    """Each takes the place of the one of its name."""
    for each in settings:
        db.execute("DELETE FROM settings WHERE name = ?", (each.name,))
        values = (each.name, each.value, each.stamp, each.proof)
        db.execute("INSERT INTO settings (name, value, stamp, proof) VALUES (?, ?, ?, ?)", values)


def matches(db: sqlite3.Connection, version: int) -> tuple[int, ...]:
    """Return the numbers of all matches, oldest first."""
    found = db.execute(f"SELECT DISTINCT match FROM {'entry' if version == 1 else 'entries'} ORDER BY match")
    return tuple(number for (number,) in found if isinstance(number, int))


def rows(db: sqlite3.Connection, version: int, match: int | None = None) -> tuple[Iterator[Row], ...]:
    """Return the rows of one match or of all, whole or not, in order, from each place that holds them."""
    if version == 1:
        return (_rows_one(db, match),)
    return tuple(_rows_two(db, statement, match) for statement in _ENTRIES if version)


def settings(db: sqlite3.Connection, version: int) -> tuple[Iterator[Setting], ...]:
    """Return all settings, whole or not, from each place that holds them."""
    if version == 1:
        return ((setting(str(name), str(value), 0) for name, value in db.execute("SELECT name, value FROM kept")),)
    return tuple(filter(None, map(_setting, db.execute(statement))) for statement in _SETTINGS if version)


def _rows_two(db: sqlite3.Connection, statement: str, match: int | None) -> Iterator[Row]:
    """Rows of format 2, without those that damage left without their numbers."""
    first, last = (0, 1 << 38) if match is None else (match, match)
    places = {"first": first, "last": last, "low": first * _PLACES, "high": last * _PLACES + _PLACES - 1}
    yield from filter(None, map(_row, db.execute(statement, places)))


def _rows_one(db: sqlite3.Connection, match: int | None) -> Iterator[Row]:
    """Rows of a journal of format 1, where each had a CRC of its own, chained as they would be today; one that is not
    whole has no chain value."""
    only = "" if match is None else f"WHERE match = {match:d}"
    heads: dict[int, Head] = {}
    found = db.execute(f"SELECT match, seq, CAST(data AS BLOB), crc FROM entry {only} ORDER BY match, seq")
    for old in filter(None, map(_old_row, found)):
        head = heads.get(old.match, NOTHING)
        fits = old.whole and old.seq == head.count
        chain = chained(head.chain, old.match, old.seq, 0, old.data) if fits else b""
        if fits:
            heads[old.match] = Head(old.seq + 1, chain)
        yield Row(old.match, old.seq, 0, old.data, chain)


def meant(record: tuple[object, ...]) -> Row | OldRow | Setting | OldSetting | None:
    """Return what a record of a table or of its index holds, found without either; None if it is none of a journal's.
    It may not be whole."""
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
    """Return the path of the log with what SQLite has not yet put into this database."""
    return journal.with_name(f"{journal.name}{LOG}")


def witness_of(journal: Path) -> Path:
    """Return the path of a journal's witness."""
    return journal.with_name(f"{journal.name}{WITNESS}")


def write_witness(journal: Path, witness: Witness) -> None:
    """Raises OSError."""
    body = msgspec.json.encode(witness)
    write_whole(witness_of(journal), body + b"\n" + _sum(body) + b"\n", mode=0o600)


def read_witness(journal: Path) -> Witness | None:
    """None if there is none, or if it is not whole itself: then nobody knows whether the journal's end is missing."""
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
