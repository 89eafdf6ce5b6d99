"""Stores a club in one SQLite file: tables, their state and signed matches.

Writes are synced (WAL, synchronous=FULL). A table's newest match has a row per record entry; earlier ones are
compressed, with the needed signatures. Tables' states may be a minute old on disk; the broker repeats them.
"""

from __future__ import annotations

import asyncio
import lzma
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import msgspec

from device.personal_names import replace_names
from engine.errors import RefereeError
from engine.text import Text, say
from referee_club.compression import pack_lines, unpack_lines
from referee_club.names import anonymous, nameless, seats_of, without_names
from referee_record.listening import Gap
from referee_record.public_entries import EACH, Body, Link, Opening, Signed
from referee_record.public_frames import Glance, Seated
from referee_record.signed_record import SignedRecord, encode_record

FORMAT = 2
"""File format (PRAGMA user_version); a file of format 1 is read, and raised when a match is packed."""

REMARKS = 16
"""Newest remarks kept per table."""

MOST = 200
"""Default number of matches from `list_matches`."""

KEEP_S = 60.0
"""Seconds between writes of a table's state without news."""

KNOWN = 256
"""Matches whose entries' digests are cached."""

AGES_S = 86_400.0
"""Seconds for which a remark is shown."""

BEGUN = 240
"""Limit of new matches per table within `HOUR_S`, more than anybody plays."""
HOUR_S = 3600.0

BYTES = 1 << 20
"""Approximate limit of a match in bytes, some 1,500 entries, packed without a long pause."""
WEIGHED = 16
"""Entries between size checks of a match."""

SPOILED = say("The club's copy of match {match} can't be read. Export the match from the table where it was played.")

PAGE = 1024
"""Bytes of a file page."""

_TABLES = """
CREATE TABLE heard (name TEXT PRIMARY KEY, key TEXT NOT NULL DEFAULT '', at REAL, glance BLOB) STRICT;
CREATE TABLE remark (name TEXT, text TEXT, at REAL NOT NULL, PRIMARY KEY (name, text)) STRICT, WITHOUT ROWID;
CREATE TABLE match (id TEXT PRIMARY KEY, name TEXT NOT NULL, game TEXT NOT NULL DEFAULT '', began REAL,
    seats TEXT NOT NULL DEFAULT '[]', result TEXT NOT NULL DEFAULT '', winners TEXT NOT NULL DEFAULT '[]',
    links INTEGER NOT NULL DEFAULT 0, lasted REAL NOT NULL DEFAULT 0, missed INTEGER NOT NULL DEFAULT -1,
    packed BLOB, doubted INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX match_of_table ON match (name);
CREATE TABLE link (match TEXT, n INTEGER, signed BLOB NOT NULL, PRIMARY KEY (match, n)) STRICT;
"""
"""Tables with a rowid store two entries per page; without one SQLite allows a quarter page per row
(sqlite.org/fileformat2.html, 1.6)."""

_PLAYED = ("id", "name", "game", "began", "seats", "result", "winners", "links", "missed", "lasted", "doubted")
"""Columns of a match."""

_MEMBERS = """
CREATE TABLE IF NOT EXISTS certificate (serial TEXT PRIMARY KEY, name TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0)
    STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unnumbered (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"""
"""Tables of `referee_club.members`, missing in older files."""

_FORGOTTEN = """
CREATE TABLE IF NOT EXISTS forgotten (match TEXT, seat TEXT, PRIMARY KEY (match, seat)) STRICT, WITHOUT ROWID;
"""
"""Seats of forgotten players; seat "" for a dropped match."""


class Remark(msgspec.Struct, frozen=True):
    """A remark for the club's people. at: last occurrence, seconds since 1970."""

    at: float
    text: Text


class Table(msgspec.Struct, frozen=True):
    """A table.

    key: signing key in hexadecimal, "" until used.
    alive: connected to its herald.
    heard: last fresh state, seconds since 1970; None for never.
    glance: its last state.
    """

    name: str
    key: str = ""
    alive: bool = False
    heard: float | None = None
    glance: Glance | None = None
    remarks: tuple[Remark, ...] = ()


class Played(msgspec.Struct, frozen=True):
    """A match.

    match: identity.
    game: name, "" before the opening.
    began: seconds since 1970 by the table's clock; None if unset.
    seats, result, winners: as reported, unsigned.
    links: stored entries from the opening.
    whole: over, with none known missing, nor signed otherwise later.
    lasted: seconds to the last entry.
    doubted: the table signed other entries later.
    """

    match: str
    table: str
    game: str
    began: float | None
    seats: tuple[Seated, ...]
    result: str
    winners: tuple[str, ...]
    links: int
    whole: bool
    lasted: float = 0.0
    doubted: bool = False


class NoArchive(RefereeError, OSError):
    """The file is unusable; the message has the remedy."""


class NoMatch(RefereeError, LookupError):
    """No such match, table, player or tournament."""


class Spoiled(RefereeError, ValueError):
    """A stored match is damaged; `text` says so."""

    def __init__(self, id: str) -> None:
        self.text = Text(SPOILED.message, (("match", id),))
        super().__init__(str(self.text))


class TooMuch(RefereeError, ValueError):
    """A table exceeds a match's or an hour's limit."""


class Other(RefereeError, ValueError):
    """An entry differs from the stored one, or its match is another table's."""


class Archive:
    """An open archive for one thread; other processes may read it and forget people. All that writes raises NoArchive.

    keep_days: days to keep matches after the last entry; 0 for ever.
    """

    keep_days = 0

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        """Open or create a private file. now: seconds since 1970. Raises NoArchive."""
        self._now = now
        try:
            path.touch(0o600)
            self.connection = sqlite3.connect(path, isolation_level=None)
            _prepare(self.connection, path, now())
            self._tables = {each.name: each for each in _heard_tables(self.connection)}
        except (OSError, sqlite3.Error, msgspec.DecodeError) as error:
            if isinstance(error, NoArchive):
                raise
            why = f"{path} cannot be used as a club's archive ({error})"
            raise NoArchive(f"{why}: move it away, or put a copy of it back") from error
        self.version = 0
        """Increases with every change."""
        self.changed = asyncio.Event()
        """Set at the next change and then replaced; take it before looking."""
        self._deep = 0
        self._digests: OrderedDict[str, list[bytes]] = OrderedDict()
        self._kept: dict[str, float] = {}
        self._seen = set[str]()
        self._begun: dict[str, tuple[float, int]] = {}
        self._others = -1
        with self.transaction():
            self._strip()

    def close(self) -> None:
        """Store the tables' states and close. Raises NoArchive if they can't be stored; it is closed then, too."""
        try:
            with self.transaction():
                for name in tuple(self._seen):
                    self._keep(name)
        finally:
            self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write atomically; nested ones join the outer. On failure the cached state is restored. Raises NoArchive."""
        if self._deep == 0:
            before = self._tables.copy(), self._seen.copy(), self._kept.copy(), self._begun.copy()
        try:
            if self._deep == 0:
                self.connection.execute("BEGIN IMMEDIATE")
            self._deep += 1
            try:
                yield self.connection
            finally:
                self._deep -= 1
            if self._deep == 0:
                self.connection.execute("COMMIT")
        except BaseException as error:
            if self._deep == 0:
                self._tables, self._seen, self._kept, self._begun = before
                self._digests.clear()
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise NoArchive(f"the club's archive cannot be written ({error}): is the disk full?") from error
            raise
        if self._deep == 0:
            self.version += 1
            told, self.changed = self.changed, asyncio.Event()
            told.set()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("COMMIT")

    # Tables.

    def tables(self) -> list[Table]:
        """Return all tables, sorted by name."""
        return [self.table(name) for name in sorted(self.names())]

    def names(self) -> set[str]:
        """Return the tables' names."""
        rows = self.connection.execute("SELECT name FROM remark WHERE name != '' UNION SELECT name FROM heard")
        return {*self._tables, *(name for (name,) in rows)}

    def table(self, name: str) -> Table:
        """Return a table with remarks of the last `AGES_S`, newest first; an empty one if unknown."""
        seen = self._tables.get(name, Table(name))
        return msgspec.structs.replace(seen, key=self.key(name), remarks=self.recent_remarks(name))

    def key(self, name: str) -> str:
        """Return a table's key as stored, since other processes may change it; "" without one."""
        found = self.connection.execute("SELECT key FROM heard WHERE name = ?", (name,)).fetchone()
        return "" if found is None else str(found[0])

    def is_alive(self, table: str) -> bool:
        """Return True if the table is connected to its herald, as far as is known."""
        return table in self._tables and self._tables[table].alive

    def say_alive(self, table: str, alive: bool) -> None:
        """Note whether the table is connected to its herald."""
        with self.transaction():
            self._see(table, alive=alive)

    def take_glance(self, table: str, glance: Glance, *, old: bool = False) -> Glance:
        """Store a table's state; return it without forgotten names. old: a repetition of unknown age. Raises Other,
        TooMuch."""
        with self.transaction():
            glance = self._nameless(glance)
            before = self._tables.get(table, Table(table)).glance
            changed = glance.match and (before is None or _of_match(before) != _of_match(glance))
            if changed and not self._is_dropped(glance.match):
                self._note(table, glance, stale=before is not None and _is_before(glance, before))
            self._see(table, glance=glance, **({} if old else {"heard": self._now()}))
            if changed or self._now() - self._kept.get(table, 0.0) > KEEP_S:
                self._keep(table)
        return glance

    def trust(self, table: str, key: str) -> None:
        """Store the key to trust for a table; "" trusts the next one used."""
        with self.transaction() as db:
            db.execute("INSERT INTO heard (name, key) VALUES (?, ?) ON CONFLICT DO UPDATE SET key = ?2", (table, key))

    def forget(self, table: str) -> None:
        """Delete a table's key, state and remarks; matches stay."""
        with self.transaction() as db:
            db.execute("DELETE FROM heard WHERE name = ?", (table,))
            db.execute("DELETE FROM remark WHERE name = ?", (table,))
            self._tables.pop(table, None)
            self._kept.pop(table, None)
            self._seen.discard(table)

    def remark(self, table: str, text: Text) -> None:
        """Add or renew a remark, keeping the newest REMARKS; table "" for the club."""
        with self.transaction() as db:
            words = (table, msgspec.json.encode(text).decode(), self._now())
            db.execute("INSERT INTO remark VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at", words)
            newest = "SELECT text FROM remark WHERE name = ? ORDER BY at DESC LIMIT ?"
            db.execute(f"DELETE FROM remark WHERE name = ? AND text NOT IN ({newest})", (table, table, REMARKS))

    def settle(self, table: str, text: Text) -> None:
        """Remove a settled remark."""
        with self.transaction() as db:
            words = (table, msgspec.json.encode(text).decode())
            db.execute("DELETE FROM remark WHERE name = ? AND text = ?", words)

    def recent_remarks(self, table: str = "") -> tuple[Remark, ...]:
        """Return a table's or the club's remarks of the last `AGES_S`, newest first."""
        since = self._now() - AGES_S
        return tuple(each for each in self.remarks(table) if each.at > since)

    def remarks(self, table: str = "") -> tuple[Remark, ...]:
        """Return a table's or the club's remarks, newest first."""
        rows = self.connection.execute("SELECT at, text FROM remark WHERE name = ? ORDER BY at DESC", (table,))
        return tuple(Remark(at, msgspec.json.decode(text, type=Text)) for at, text in rows)

    # Matches.

    def list_matches(
        self, *, table: str = "", game: str = "", player: str = "", over: bool = False, limit: int = MOST
    ) -> list[Played]:
        """Return at most `limit` matches (-1 for all), newest first, of the given table, game and player. over: only
        finished ones."""
        wanted = {
            "name = ?": table,
            "game = ?": game,
            "EXISTS (SELECT 1 FROM json_each(seats) WHERE json_extract(value, '$.name') = ?)": player,
        }
        asked = {condition: value for condition, value in wanted.items() if value}
        where = " AND ".join([*asked, *(("result != ''",) if over else ())]) or "1"
        return self._matches(f"WHERE {where} ORDER BY rowid DESC LIMIT ?", (*asked.values(), limit))

    def match(self, id: str) -> Played:
        """Return a match. Raises NoMatch."""
        found = self._matches("WHERE id = ?", (id,))
        if not found:
            raise NoMatch(f"the club knows no match {id}")
        return found[0]

    def links(self, id: str) -> list[Signed]:
        """Return a match's entries. Raises NoMatch, Spoiled."""
        with self._at_once():
            found = self.connection.execute("SELECT packed, links FROM match WHERE id = ?", (id,)).fetchone()
            if found is None:
                raise NoMatch(f"the club knows no match {id}")
            whole, count = found
            rows = self.connection.execute("SELECT signed FROM link WHERE match = ? ORDER BY n", (id,)).fetchall()
        try:
            lines = [line for (line,) in rows] if whole is None else unpack_lines(whole)
            links = [msgspec.json.decode(line, type=Signed) for line in lines]
        except (lzma.LZMAError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Spoiled(id) from error
        if len(links) != count or any(isinstance(link.body, Opening) != (n == 0) for n, link in enumerate(links)):
            raise Spoiled(id)
        return links

    def record(self, id: str) -> bytes:
        """Return the public record so far, for `referee verify`. Raises NoMatch, Spoiled."""
        links = tuple(self.links(id))
        if not links:
            raise NoMatch(f"the club has no link of match {id}")
        return encode_record(SignedRecord(links))

    def count_stored(self, id: str) -> int:
        """Return a match's number of stored entries; 0 if unknown."""
        found = self.connection.execute("SELECT links FROM match WHERE id = ?", (id,)).fetchone()
        return 0 if found is None else int(found[0])

    def misses(self, table: str) -> bool:
        """Return True if a table's matches have known gaps."""
        asked = "SELECT EXISTS (SELECT 1 FROM match WHERE name = ? AND missed >= links)"
        return bool(self.connection.execute(asked, (table,)).fetchone()[0])

    def take_link(self, table: str, id: str, n: int, link: Signed) -> bool:
        """Store a proved entry; return False if it is known or its match was dropped. Raises Other, Gap (noting the
        missing ones), TooMuch, Spoiled."""
        with self.transaction() as db:
            if self._is_dropped(id):
                return False
            links = self._ensure_match(table, id)
            if n < links:
                if self._link_digests(id)[n] == _digest(link.body):
                    return False
                self.doubt(table, id)
            elif n > links:
                db.execute("UPDATE match SET missed = max(missed, ?) WHERE id = ?", (n - 1, id))
            else:
                self._append(table, id, n, link)
        if n < links:
            raise Other(f"link {n} of match {id} was another one before")
        if n > links:
            raise Gap(links, n - 1)
        return True

    def doubt(self, table: str, id: str) -> None:
        """Note that a table later signed its match otherwise."""
        self.connection.execute("UPDATE match SET doubted = 1 WHERE id = ? AND name = ?", (id, table))

    def _append(self, table: str, id: str, n: int, link: Signed) -> None:
        known = self._link_digests(id)
        if isinstance(link.body, Opening):
            for (other,) in self.connection.execute(
                "SELECT id FROM match WHERE name = ? AND id != ? AND packed IS NULL AND links > 0", (table, id)
            ).fetchall():
                try:
                    self._pack(other)
                except Spoiled as error:  # no fault of the match that begins
                    self.remark(table, error.text)
            self.connection.execute("UPDATE match SET game = ? WHERE id = ?", (link.body.game, id))
        self._unpack(id)
        if n and n % WEIGHED == 0:
            weighed = "SELECT sum(length(signed)) FROM link WHERE match = ?"
            if self.connection.execute(weighed, (id,)).fetchone()[0] > BYTES:
                raise TooMuch(f"match {id} is longer than {BYTES} bytes")
        known.append(_digest(link.body))
        self.connection.execute("INSERT INTO link VALUES (?, ?, ?)", (id, n, msgspec.json.encode(link)))
        lasted = link.body.at if isinstance(link.body, Link) else 0.0
        counted = (n + 1, lasted, self._now(), id)
        self.connection.execute("UPDATE match SET links = ?, lasted = ?, noted = ? WHERE id = ?", counted)

    def _pack(self, id: str) -> None:
        links = self.links(id)
        first, last = links[0].body, len(links) - 1
        assert isinstance(first, Opening)
        each = 1 if first.format == 1 else EACH
        thin = (link if n % each == 0 or n == last else Signed(link.body) for n, link in enumerate(links))
        whole = pack_lines([msgspec.json.encode(link) for link in thin])
        self.connection.execute(f"PRAGMA user_version = {FORMAT}")
        self.connection.execute("UPDATE match SET packed = ? WHERE id = ?", (whole, id))
        self.connection.execute("DELETE FROM link WHERE match = ?", (id,))

    def _unpack(self, id: str) -> None:
        (stands,) = self.connection.execute("SELECT packed IS NULL FROM match WHERE id = ?", (id,)).fetchone()
        if not stands:
            rows = [(id, n, msgspec.json.encode(link)) for n, link in enumerate(self.links(id))]
            self.connection.executemany("INSERT INTO link VALUES (?, ?, ?)", rows)
            self.connection.execute("UPDATE match SET packed = NULL WHERE id = ?", (id,))

    def _link_digests(self, id: str) -> list[bytes]:
        if id not in self._digests:
            self._digests[id] = [_digest(link.body) for link in self.links(id)]
            if len(self._digests) > KNOWN:
                self._digests.popitem(last=False)
        self._digests.move_to_end(id)
        return self._digests[id]

    def _ensure_match(self, table: str, id: str) -> int:
        found = self.connection.execute("SELECT name, links FROM match WHERE id = ?", (id,)).fetchone()
        if found is None:
            self._begin(table)
            self.connection.execute("INSERT INTO match (id, name, noted) VALUES (?, ?, ?)", (id, table, self._now()))
        name, links = found or (table, 0)
        if name != table:
            raise Other(f"match {id} is of {name}")
        return int(links)

    def _begin(self, table: str) -> None:
        since, count = self._begun.get(table, (self._now(), 0))
        if not 0.0 <= self._now() - since < HOUR_S:
            since, count = self._now(), 0
        if count >= BEGUN:
            raise TooMuch(f"it has begun {count} matches within an hour")
        self._begun[table] = since, count + 1

    def _note(self, table: str, glance: Glance, *, stale: bool) -> None:
        """Note a match's state and earliest start. stale: an older state came late, and reopens nothing. Raises Other,
        TooMuch."""
        self._ensure_match(table, glance.match)
        seats = [msgspec.structs.replace(each, turn=False) for each in glance.seats]
        values = (*(msgspec.json.encode(each).decode() for each in (seats, glance.winners)), glance.result)
        self.connection.execute(
            "UPDATE match SET seats = ?, winners = ?, result = ?3 WHERE id = ? AND (result = '' OR ?3 != '' OR NOT ?)",
            (*values, glance.match, stale),
        )
        self.connection.execute(
            "UPDATE match SET began = min(coalesce(began, ?1 - lasted), ?1 - lasted) WHERE id = ?2 AND ?1 IS NOT NULL",
            (glance.at, glance.match),
        )

    def _matches(self, rest: str, values: tuple[object, ...]) -> list[Played]:
        rows = self.connection.execute(f"SELECT {', '.join(_PLAYED)} FROM match {rest}", values)
        return [
            Played(
                id,
                name,
                game,
                began,
                msgspec.json.decode(seats, type=tuple[Seated, ...]),
                result,
                msgspec.json.decode(winners, type=tuple[str, ...]),
                links,
                result != "" and missed < links and links > 0 and not doubted,
                lasted,
                bool(doubted),
            )
            for id, name, game, began, seats, result, winners, links, missed, lasted, doubted in rows
        ]

    # What is forgotten.

    def heed(self) -> dict[str, Glance] | None:
        """Apply what other processes forgot; return the changed states by table, or None if no other process wrote.
        Raises NoArchive."""
        try:
            (others,) = self.connection.execute("PRAGMA data_version").fetchone()
        except sqlite3.Error as error:
            raise NoArchive(f"the club's archive cannot be read ({error})") from error
        if others == self._others:
            return None
        with self.transaction():
            found = self._strip()
        self._others = others
        self.wipe()
        return found

    def drop_before(self, until: float) -> dict[str, Glance]:
        """Delete matches without entries since then (s since 1970); return changed states by table."""
        with self.transaction() as db:
            for (id,) in db.execute("SELECT id FROM match WHERE noted < ?", (until,)).fetchall():
                db.execute("DELETE FROM match WHERE id = ?", (id,))
                db.execute("DELETE FROM link WHERE match = ?", (id,))
                db.execute("INSERT INTO forgotten VALUES (?, '') ON CONFLICT DO NOTHING", (id,))
                self._digests.pop(id, None)
            return self._strip()

    def forget_player(self, name: str) -> int:
        """Replace a player's name by the seat in all matches; return how many had it. Signed entries hold no names."""
        found = 0
        with self.transaction() as db:
            for id, seats, result in db.execute("SELECT id, seats, result FROM match").fetchall():
                seated = msgspec.json.decode(seats, type=tuple[Seated, ...])
                if not (gone := seats_of(seated, name)):
                    continue
                found += 1
                values = (
                    msgspec.json.encode(anonymous(seated, gone)).decode(),
                    replace_names(result, without_names(seated, gone)),
                    id,
                )
                db.execute("UPDATE match SET seats = ?, result = ? WHERE id = ?", values)
                db.executemany("INSERT INTO forgotten VALUES (?, ?) ON CONFLICT DO NOTHING", ((id, at) for at in gone))
            self._strip()
        return found

    def _strip(self) -> dict[str, Glance]:
        found: dict[str, Glance] = {}
        for name, table in tuple(self._tables.items()):
            glance = None if table.glance is None else self._nameless(table.glance)
            if glance is not None and glance != table.glance:
                found[name] = glance
                self._see(name, glance=glance)
                self._keep(name)
        return found

    def wipe(self) -> bool:
        """Empty the write log of deleted data; return False if a reader prevents it."""
        try:
            return not self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error as error:
            raise NoArchive(f"the club's archive cannot be written ({error}): is the disk full?") from error

    def _nameless(self, glance: Glance) -> Glance:
        asked = "SELECT seat FROM forgotten WHERE match = ?"
        seats = {seat for (seat,) in self.connection.execute(asked, (glance.match,))}
        return nameless(glance, {each.seat for each in glance.seats} if "" in seats else seats) if seats else glance

    def _is_dropped(self, id: str) -> bool:
        asked = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE match = ? AND seat = '')"
        return bool(self.connection.execute(asked, (id,)).fetchone()[0])

    def _see(self, name: str, **now: object) -> None:
        if name not in self._tables:
            self.connection.execute("INSERT INTO heard (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        self._tables[name] = msgspec.structs.replace(self._tables.get(name, Table(name)), **now)
        self._seen.add(name)

    def _keep(self, name: str) -> None:
        table, self._kept[name] = self._tables[name], self._now()
        self._seen.discard(name)
        glance = None if table.glance is None else msgspec.json.encode(table.glance)
        words = (table.heard, glance, name)
        self.connection.execute("UPDATE heard SET at = ?, glance = ? WHERE name = ?", words)


def _heard_tables(connection: sqlite3.Connection) -> Iterator[Table]:
    for name, at, glance in connection.execute("SELECT name, at, glance FROM heard"):
        yield Table(name, heard=at, glance=None if glance is None else msgspec.json.decode(glance, type=Glance))


def _prepare(db: sqlite3.Connection, path: Path, now: float) -> None:
    db.execute(f"PRAGMA page_size = {PAGE}")  # of a new file
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA secure_delete = ON")  # deleted data is overwritten
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found not in range(FORMAT + 1):
        raise NoArchive(f"{path} is of format {found}, which is not known here: update table-referee")
    if found == 0:
        db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")
    db.execute("CREATE INDEX IF NOT EXISTS match_missed ON match (name) WHERE missed >= links")
    db.executescript(_MEMBERS)
    db.executescript(_FORGOTTEN)
    columns = {row[1] for row in db.execute("PRAGMA table_info(match)")}
    if "noted" not in columns:
        db.execute("ALTER TABLE match ADD COLUMN noted REAL")  # seconds since 1970, by this host's clock
    if "doubted" not in columns:
        db.execute("ALTER TABLE match ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0")
    db.execute("UPDATE match SET noted = min(coalesce(began, ?1), ?1) WHERE noted IS NULL", (now,))


def _is_before(glance: Glance, other: Glance) -> bool:
    return glance.at is not None and other.at is not None and glance.at < other.at


def _of_match(glance: Glance) -> object:
    seats = tuple((each.seat, each.name, each.side) for each in glance.seats)
    return glance.match, seats, glance.result, glance.winners


def _digest(body: Body) -> bytes:
    return blake2b(msgspec.json.encode(body, order="sorted"), digest_size=16).digest()
