"""Which tables belong to the club: the numbers of their certificates, and who was removed and is let in no more.

All of it is in the archive's file. A table that an earlier version added has no number here: it can be removed, and
nothing of it is kept from then on, but the broker lets its certificate in until that ends.
"""

from __future__ import annotations

from cryptography import x509

from device.club.archive import Archive
from engine.errors import RefereeError

_TABLES = """
CREATE TABLE IF NOT EXISTS certificate (serial TEXT PRIMARY KEY, name TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0)
    STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"""


class NoTable(RefereeError, LookupError):
    """The club has no such table."""


class Members:
    """Of the club that an archive is of."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        archive.connection.executescript(_TABLES)

    def admit(self, table: str, certificate: bytes) -> None:
        """It has this certificate, in PEM, perhaps beside earlier ones; who was removed comes back. Raises
        NoArchive."""
        serial = x509.load_pem_x509_certificate(certificate).serial_number
        with self._archive.transaction() as db:
            db.execute("INSERT INTO certificate (serial, name) VALUES (?, ?)", (f"{serial:x}", table))
            db.execute("DELETE FROM removed WHERE name = ?", (table,))

    def remove(self, table: str) -> int:
        """It is let in no more, and stands nowhere but at its matches. So many certificates of it are known, all of
        which end so. Raises NoTable and NoArchive."""
        with self._archive.transaction() as db:
            ended = db.execute("UPDATE certificate SET revoked = 1 WHERE name = ? AND NOT revoked", (table,)).rowcount
            if not ended and table not in {each.name for each in self._archive.tables()}:
                raise NoTable(f"the club has no table {table!r}: the hall shows what each is called")
            db.execute("INSERT INTO removed VALUES (?) ON CONFLICT DO NOTHING", (table,))
            self._archive.forget(table)
        return ended

    def is_removed(self, table: str) -> bool:
        asked = "SELECT EXISTS (SELECT 1 FROM removed WHERE name = ?)"
        return bool(self._archive.connection.execute(asked, (table,)).fetchone()[0])

    def removed(self) -> frozenset[str]:
        """Names of tables."""
        return frozenset(name for (name,) in self._archive.connection.execute("SELECT name FROM removed"))

    def revoked(self) -> frozenset[int]:
        """Numbers of certificates that are good no more."""
        rows = self._archive.connection.execute("SELECT serial FROM certificate WHERE revoked")
        return frozenset(int(serial, 16) for (serial,) in rows)
