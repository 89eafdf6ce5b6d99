"""All that a club knows, in one SQLite file: its tables, how they look, and their signed matches.

What is written is on the disk when it is said to be (WAL, synchronous=FULL). A match's links stand one a row until its
table begins the next one, then in one compressed piece, with as many signatures as a record needs. How a table looks is
known here as of now, and on the disk as of a minute ago: the broker says it again to a host that was started anew.
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

from device.evidence.public_entries import EACH, Body, Link, Opening, Signed
from device.evidence.public_frames import Glance, Seated
from device.evidence.record import SignedRecord, written
from device.redaction import replace_names
from engine.errors import RefereeError
from engine.text import Text, say
from referee_club.compression import packed, unpacked
from referee_club.names import anonymous, nameless, seats_of, without_names
from referee_record.listening import Gap

FORMAT = 2
"""Of the file (PRAGMA user_version), from the first match on that is packed so: until then an earlier version reads one
of format 1, too. In that matches were packed otherwise, as they are read from it still."""

REMARKS = 16
"""So many are kept of a table, those that were made last."""

MOST = 200
"""Matches that `played` gives back if it is not asked for more."""

KEEP_S = 60.0
"""So often it is put on the disk how a table looks, if nothing of its match has changed."""

KNOWN = 256
"""Of so many matches it is known without the disk what their links are."""

AGES_S = 86_400.0
"""So long after it was so last a remark is shown with its table."""

BEGUN = 240
"""So many matches of a table are new within `HOUR_S`: nobody plays more, and a herald says again fewer."""
HOUR_S = 3600.0

BYTES = 1 << 20
"""Of a match's links, about: some 1,500, and no more than what is packed without holding the host up for long."""
WEIGHED = 16
"""So many links of a match come until they are weighed again."""

SPOILED = say("The club's copy of match {match} can't be read. Export it from its table.")

PAGE = 1024
"""Bytes of the file's pages: a match takes whole ones."""

_TABLES = """
CREATE TABLE heard (name TEXT PRIMARY KEY, key TEXT NOT NULL DEFAULT '', at REAL, glance BLOB) STRICT;
CREATE TABLE remark (name TEXT, text TEXT, at REAL NOT NULL, PRIMARY KEY (name, text)) STRICT, WITHOUT ROWID;
CREATE TABLE match (id TEXT PRIMARY KEY, name TEXT NOT NULL, game TEXT NOT NULL DEFAULT '', began REAL,
    seats TEXT NOT NULL DEFAULT '[]', result TEXT NOT NULL DEFAULT '', winners TEXT NOT NULL DEFAULT '[]',
    links INTEGER NOT NULL DEFAULT 0, lasted REAL NOT NULL DEFAULT 0, missed INTEGER NOT NULL DEFAULT -1,
    packed BLOB) STRICT;
CREATE INDEX match_of_table ON match (name);
CREATE TABLE link (match TEXT, n INTEGER, signed BLOB NOT NULL, PRIMARY KEY (match, n)) STRICT;
"""
"""A page holds two links. Without a rowid each would take more than a page of its own, as SQLite keeps no more than a
quarter of a page of a row in the tree of an index (sqlite.org/fileformat2.html, 1.6): so files of earlier versions."""

_MEMBERS = """
CREATE TABLE IF NOT EXISTS certificate (serial TEXT PRIMARY KEY, name TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0)
    STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unnumbered (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"""
"""Tables of `referee_club.members`, which a file of an earlier version may lack."""

_FORGOTTEN = """
CREATE TABLE IF NOT EXISTS forgotten (match TEXT, seat TEXT, PRIMARY KEY (match, seat)) STRICT, WITHOUT ROWID;
"""
"""Seats whose player was forgotten; a match whose seat is "" was dropped. Earlier versions do not have the table."""


class Remark(msgspec.Struct, frozen=True):
    """Something that the club's people should know. at: when it was so last, in seconds since 1970."""

    at: float
    text: Text


class Table(msgspec.Struct, frozen=True):
    """One table. key: with which it signs, in hexadecimal; "" until it has signed something. alive: whether its herald
    hears it. heard: when it said something last, in seconds since 1970 by this host's clock; None: never. glance: how
    it looked then."""

    name: str
    key: str = ""
    alive: bool = False
    heard: float | None = None
    glance: Glance | None = None
    remarks: tuple[Remark, ...] = ()


class Played(msgspec.Struct, frozen=True):
    """One match. match: its identity. game: its name, such as "tellstones"; "" until its opening has come. began: in
    seconds since 1970 by the table's clock; None if nobody has set that. seats, result, winners: as the table said them
    at a glance, unsigned, names as its players agreed; winners are seats; result is "" while it goes on. links: so many
    are kept, one after the other from the opening. whole: it is over, and no link is known to have been missed.
    lasted: seconds from the opening to the last link that is kept."""

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


class NoArchive(RefereeError, OSError):
    """The file cannot be used; the message says why and what to do."""


class NoMatch(RefereeError, LookupError):
    """The club knows no such table, or match."""


class Spoiled(RefereeError, ValueError):
    """What is kept of a match cannot be read, as the disk gives it otherwise than it was written. text: says so."""

    def __init__(self, id: str) -> None:
        self.text = Text(SPOILED.message, (("match", id),))
        super().__init__(str(self.text))


class TooMuch(RefereeError, ValueError):
    """A table says more than a match or an hour takes."""


class Other(RefereeError, ValueError):
    """A link is not the one that is kept at its place, or its match is another table's."""


class Archive:
    """An open archive, for the thread that opened it. Other processes may read the file meanwhile, and forget people.

    keep_days: days that a match is kept after its last entry came in; 0: for ever. The pages say so.
    """

    keep_days = 0

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        """Opens or makes the file, for its owner alone. now: in seconds since 1970. Raises NoArchive."""
        self._now = now
        try:
            path.touch(0o600)
            self.connection = sqlite3.connect(path, isolation_level=None)
            _prepare(self.connection, path, now())
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, NoArchive):
                raise
            why = f"{path} cannot be used as a club's archive ({error})"
            raise NoArchive(f"{why}: move it away, or put a copy of it back") from error
        self.version = 0
        """Grows with every change."""
        self.changed = asyncio.Event()
        """Set at the next change, when another takes its place: whoever waits takes it before looking."""
        self._deep = 0
        self._digests: OrderedDict[str, list[bytes]] = OrderedDict()
        self._tables: dict[str, Table] = {}
        self._kept: dict[str, float] = {}
        self._seen = set[str]()
        self._begun: dict[str, tuple[float, int]] = {}
        for name, at, glance in self.connection.execute("SELECT name, at, glance FROM heard"):
            seen = None if glance is None else msgspec.json.decode(glance, type=Glance)
            self._tables[name] = Table(name, heard=at, glance=seen)
        self._others = -1
        with self.transaction():
            self._strip()

    def close(self) -> None:
        """Close the archive, with the tables' last states on the disk."""
        with self.transaction():
            for name in tuple(self._seen):
                self._keep(name)
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is written within is on the disk afterwards, or none of it, and nothing of it is known here; one
        inside another is a part of that. Raises NoArchive."""
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
        """All that is read within is as of one moment, whatever another process writes meanwhile."""
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
        """All of them, by name."""
        return [self.table(name) for name in sorted(self.names())]

    def names(self) -> set[str]:
        """The names of all tables that were added, ever said something, or of which something was remarked."""
        rows = self.connection.execute("SELECT name FROM remark WHERE name != '' UNION SELECT name FROM heard")
        return {*self._tables, *(name for (name,) in rows)}

    def table(self, name: str) -> Table:
        """One of them, with the newest remarks first, but those of `AGES_S` ago; an unheard one if nothing is known of
        it."""
        seen, since = self._tables.get(name, Table(name)), self._now() - AGES_S
        remarks = tuple(each for each in self.remarks(name) if each.at > since)
        return msgspec.structs.replace(seen, key=self.key(name), remarks=remarks)

    def key(self, name: str) -> str:
        """Return the key with which a table signs, as stored: another process may have changed it."""
        found = self.connection.execute("SELECT key FROM heard WHERE name = ?", (name,)).fetchone()
        return "" if found is None else str(found[0])

    def say_alive(self, table: str, alive: bool) -> None:
        """Note whether the herald hears its table."""
        with self.transaction():
            self._see(table, alive=alive)

    def take_glance(self, table: str, glance: Glance, *, old: bool = False) -> Glance:
        """Store how a table looks, and return it as stored, without forgotten names. old: it is a repetition of unknown
        age. Raises Other and TooMuch."""
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
        """Trust a key from now on; "": whatever key the table signs with next."""
        with self.transaction() as db:
            db.execute("INSERT INTO heard (name, key) VALUES (?, ?) ON CONFLICT DO UPDATE SET key = ?2", (table, key))

    def forget(self, table: str) -> None:
        """Nothing is known of it any more but its matches."""
        with self.transaction() as db:
            db.execute("DELETE FROM heard WHERE name = ?", (table,))
            db.execute("DELETE FROM remark WHERE name = ?", (table,))
            self._tables.pop(table, None)
            self._kept.pop(table, None)
            self._seen.discard(table)

    def remark(self, table: str, text: Text) -> None:
        """Something is remarked of a table, or again. table: ""; it is of the club itself."""
        with self.transaction() as db:
            words = (table, msgspec.json.encode(text).decode(), self._now())
            db.execute("INSERT INTO remark VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at", words)
            newest = "SELECT text FROM remark WHERE name = ? ORDER BY at DESC LIMIT ?"
            db.execute(f"DELETE FROM remark WHERE name = ? AND text NOT IN ({newest})", (table, table, REMARKS))

    def settled(self, table: str, text: Text) -> None:
        """Remove a remark that is settled."""
        with self.transaction() as db:
            words = (table, msgspec.json.encode(text).decode())
            db.execute("DELETE FROM remark WHERE name = ? AND text = ?", words)

    def remarks(self, table: str = "") -> tuple[Remark, ...]:
        """Those of a table, or of the club itself, the newest first."""
        rows = self.connection.execute("SELECT at, text FROM remark WHERE name = ? ORDER BY at DESC", (table,))
        return tuple(Remark(at, msgspec.json.decode(text, type=Text)) for at, text in rows)

    # Matches.

    def played(
        self, *, table: str = "", game: str = "", player: str = "", over: bool = False, limit: int = MOST
    ) -> list[Played]:
        """Matches, the last one first: of a table, a game, somebody of that name; over: only those."""
        wanted = {
            "name = ?": table,
            "game = ?": game,
            "EXISTS (SELECT 1 FROM json_each(seats) WHERE json_extract(value, '$.name') = ?)": player,
        }
        asked = {condition: value for condition, value in wanted.items() if value}
        where = " AND ".join([*asked, *(("result != ''",) if over else ())]) or "1"
        return self._matches(f"WHERE {where} ORDER BY rowid DESC LIMIT ?", (*asked.values(), limit))

    def match(self, id: str) -> Played:
        """One match. Raises NoMatch."""
        found = self._matches("WHERE id = ?", (id,))
        if not found:
            raise NoMatch(f"the club knows no match {id}")
        return found[0]

    def links(self, id: str) -> list[Signed]:
        """Return the links of a match, from the opening on. Raises NoMatch and Spoiled."""
        with self._at_once():
            found = self.connection.execute("SELECT packed, links FROM match WHERE id = ?", (id,)).fetchone()
            if found is None:
                raise NoMatch(f"the club knows no match {id}")
            whole, count = found
            rows = self.connection.execute("SELECT signed FROM link WHERE match = ? ORDER BY n", (id,)).fetchall()
        try:
            lines = [line for (line,) in rows] if whole is None else unpacked(whole)
            links = [msgspec.json.decode(line, type=Signed) for line in lines]
        except (lzma.LZMAError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Spoiled(id) from error
        if len(links) != count or any(isinstance(link.body, Opening) != (n == 0) for n, link in enumerate(links)):
            raise Spoiled(id)
        return links

    def record(self, id: str) -> bytes:
        """The public record, as `referee verify` takes it: as far as the club has it. Raises NoMatch and Spoiled."""
        links = tuple(self.links(id))
        if not links:
            raise NoMatch(f"the club has no link of match {id}")
        return written(SignedRecord(links))

    def has(self, id: str) -> int:
        """Return how many links of a match are stored."""
        found = self.connection.execute("SELECT links FROM match WHERE id = ?", (id,)).fetchone()
        return 0 if found is None else int(found[0])

    def misses(self, table: str) -> bool:
        """Return True if links of a match of the table are known to be missing."""
        asked = "SELECT EXISTS (SELECT 1 FROM match WHERE name = ? AND missed >= links)"
        return bool(self.connection.execute(asked, (table,)).fetchone()[0])

    def take_link(self, table: str, id: str, n: int, link: Signed) -> bool:
        """Keeps a link that was proved to be the match's next one; whether it is new. Raises Other if it is not what
        is kept at its place, or the match is another table's; Gap if links before it are missing, which is noted;
        TooMuch; Spoiled if those that are kept cannot be read."""
        with self.transaction() as db:
            if self._is_dropped(id):
                return False
            links = self._owned(table, id)
            if n < links:
                if self._known(id)[n] != _digest(link.body):
                    raise Other(f"link {n} of match {id} was another one before")
                return False
            if n > links:
                db.execute("UPDATE match SET missed = max(missed, ?) WHERE id = ?", (n - 1, id))
            else:
                self._append(table, id, n, link)
        if n > links:
            raise Gap(links, n - 1)
        return True

    def _append(self, table: str, id: str, n: int, link: Signed) -> None:
        """Raises TooMuch and Spoiled."""
        known = self._known(id)
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
        """All links in one piece. Raises Spoiled."""
        links = self.links(id)
        first, last = links[0].body, len(links) - 1
        assert isinstance(first, Opening)
        each = 1 if first.format == 1 else EACH
        thin = (link if n % each == 0 or n == last else Signed(link.body) for n, link in enumerate(links))
        whole = packed([msgspec.json.encode(link) for link in thin])
        self.connection.execute(f"PRAGMA user_version = {FORMAT}")
        self.connection.execute("UPDATE match SET packed = ? WHERE id = ?", (whole, id))
        self.connection.execute("DELETE FROM link WHERE match = ?", (id,))

    def _unpack(self, id: str) -> None:
        """The links stand in rows again: it goes on. Raises Spoiled."""
        (stands,) = self.connection.execute("SELECT packed IS NULL FROM match WHERE id = ?", (id,)).fetchone()
        if not stands:
            rows = [(id, n, msgspec.json.encode(link)) for n, link in enumerate(self.links(id))]
            self.connection.executemany("INSERT INTO link VALUES (?, ?, ?)", rows)
            self.connection.execute("UPDATE match SET packed = NULL WHERE id = ?", (id,))

    def _known(self, id: str) -> list[bytes]:
        """Return the stored bytes of each link. Raises Spoiled."""
        if id not in self._digests:
            self._digests[id] = [_digest(link.body) for link in self.links(id)]
            if len(self._digests) > KNOWN:
                self._digests.popitem(last=False)
        self._digests.move_to_end(id)
        return self._digests[id]

    def _owned(self, table: str, id: str) -> int:
        """Return how many links of a match are stored, and note that it is the table's. Raises Other and TooMuch."""
        found = self.connection.execute("SELECT name, links FROM match WHERE id = ?", (id,)).fetchone()
        if found is None:
            self._begin(table)
            self.connection.execute("INSERT INTO match (id, name, noted) VALUES (?, ?, ?)", (id, table, self._now()))
        name, links = found or (table, 0)
        if name != table:
            raise Other(f"match {id} is of {name}")
        return int(links)

    def _begin(self, table: str) -> None:
        """Counts a new match. Raises TooMuch."""
        since, count = self._begun.get(table, (self._now(), 0))
        if not 0.0 <= self._now() - since < HOUR_S:
            since, count = self._now(), 0
        if count >= BEGUN:
            raise TooMuch(f"it has begun {count} matches within an hour")
        self._begun[table] = since, count + 1

    def _note(self, table: str, glance: Glance, *, stale: bool) -> None:
        """Note the match under way as a glance describes it. Its start is the table's current time less the time it has
        lasted; the first and earliest value counts. stale: a later glance was heard before, as from a broker that
        restored an old state: then an end is not taken back. Raises Other."""
        self._owned(table, glance.match)
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
        rows = self.connection.execute(
            f"SELECT id, name, game, began, seats, result, winners, links, missed, lasted FROM match {rest}", values
        )
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
                result != "" and missed < links and links > 0,
                lasted,
            )
            for id, name, game, began, seats, result, winners, links, missed, lasted in rows
        ]

    # What is forgotten.

    def heed(self) -> dict[str, Glance] | None:
        """Forget what another process has forgotten since this was asked last; return the tables that look different
        for it, or None if no other process has written anything. Raises NoArchive."""
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
        """Delete the matches of which nothing came in since then, in seconds since 1970; return the tables that look
        different for it. Raises NoArchive."""
        with self.transaction() as db:
            for (id,) in db.execute("SELECT id FROM match WHERE noted < ?", (until,)).fetchall():
                db.execute("DELETE FROM match WHERE id = ?", (id,))
                db.execute("DELETE FROM link WHERE match = ?", (id,))
                db.execute("INSERT INTO forgotten VALUES (?, '') ON CONFLICT DO NOTHING", (id,))
                self._digests.pop(id, None)
            return self._strip()

    def forget_player(self, name: str) -> int:
        """Call a player by their seat from now on, wherever the name is kept; return in how many matches. The signed
        entries stay as they are: no name is in them. Raises NoArchive."""
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
        """Take the names of those who were forgotten out of how the tables look; return those that had any."""
        found: dict[str, Glance] = {}
        for name, table in tuple(self._tables.items()):
            glance = None if table.glance is None else self._nameless(table.glance)
            if glance is not None and glance != table.glance:
                found[name] = glance
                self._see(name, glance=glance)
                self._keep(name)
        return found

    def wipe(self) -> bool:
        """Empty the log of writes, in which what was deleted may still be read; return True unless another process was
        reading it all the while. Raises NoArchive."""
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
        """Puts on the disk how a table looks."""
        table, self._kept[name] = self._tables[name], self._now()
        self._seen.discard(name)
        glance = None if table.glance is None else msgspec.json.encode(table.glance)
        words = (table.heard, glance, name)
        self.connection.execute("UPDATE heard SET at = ?, glance = ? WHERE name = ?", words)


def _prepare(db: sqlite3.Connection, path: Path, now: float) -> None:
    """Raises NoArchive, and sqlite3.Error."""
    db.execute(f"PRAGMA page_size = {PAGE}")  # of a new file
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found not in range(FORMAT + 1):
        raise NoArchive(f"{path} is of format {found}, which is not known here: update table-referee")
    if found == 0:
        db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")
    db.execute("CREATE INDEX IF NOT EXISTS match_missed ON match (name) WHERE missed >= links")
    db.executescript(_MEMBERS)
    db.executescript(_FORGOTTEN)
    if "noted" not in {row[1] for row in db.execute("PRAGMA table_info(match)")}:
        db.execute("ALTER TABLE match ADD COLUMN noted REAL")  # seconds since 1970, by this host's clock
    db.execute("UPDATE match SET noted = min(coalesce(began, ?1), ?1) WHERE noted IS NULL", (now,))


def _is_before(glance: Glance, other: Glance) -> bool:
    """Return True if it was made before the other, as far as the table's clock tells."""
    return glance.at is not None and other.at is not None and glance.at < other.at


def _of_match(glance: Glance) -> object:
    """Return the part of a glance that its match keeps for later."""
    seats = tuple((each.seat, each.name, each.side) for each in glance.seats)
    return glance.match, seats, glance.result, glance.winners


def _digest(body: Body) -> bytes:
    """Stands for a link, to know one that is said again: it was proved, so that nobody chooses it freely."""
    return blake2b(msgspec.json.encode(body, order="sorted"), digest_size=16).digest()
