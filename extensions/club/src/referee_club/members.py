"""Tracks member tables' certificates and removals in the archive.

Certificates of earlier versions have no recorded number: a removed table's data are refused, but the broker admits it
until expiry. Tables that may have one are remembered.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from cryptography import x509

from engine.errors import RefereeError
from referee_club.archive import Archive, NoArchive


class NoTable(RefereeError, LookupError):
    """No such table."""


class Members:
    """An archive's members."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def admit(self, table: str, certificate: bytes) -> None:
        """Admit a table, also a removed one, by a further PEM certificate. Raises NoArchive."""
        serial = x509.load_pem_x509_certificate(certificate).serial_number
        with self._archive.transaction() as db:
            self._note_unnumbered(table)
            db.execute("INSERT INTO certificate (serial, name) VALUES (?, ?)", (f"{serial:x}", table))
            db.execute("DELETE FROM removed WHERE name = ?", (table,))

    def remove(self, table: str) -> bool:
        """Revoke a table's known certificates and keep only its matches. Return False if an older one may admit it.
        Raises NoTable, NoArchive."""
        with self._archive.transaction() as db:
            self._note_unnumbered(table)
            ended = db.execute("UPDATE certificate SET revoked = 1 WHERE name = ? AND NOT revoked", (table,)).rowcount
            if not ended and not self._is_known(table):
                raise NoTable(f"the club has no table {table!r}: the hall shows what each is called")
            db.execute("INSERT INTO removed VALUES (?) ON CONFLICT DO NOTHING", (table,))
            self._archive.forget(table)
            return not self._rows("SELECT 1 FROM unnumbered WHERE name = ?", table)

    def is_removed(self, table: str) -> bool:
        """Return True for a removed table. Raises NoArchive."""
        return bool(self._rows("SELECT 1 FROM removed WHERE name = ?", table))

    def removed_tables(self) -> frozenset[str]:
        """Return removed tables' names. Raises NoArchive."""
        return frozenset(name for (name,) in self._rows("SELECT name FROM removed"))

    def revoked_numbers(self) -> frozenset[int]:
        """Return revoked certificates' serial numbers. Raises NoArchive."""
        return frozenset(int(serial, 16) for (serial,) in self._rows("SELECT serial FROM certificate WHERE revoked"))

    def _note_unnumbered(self, table: str) -> None:
        if self._is_known(table) and not self._rows("SELECT 1 FROM certificate WHERE name = ?", table):
            self._archive.connection.execute("INSERT INTO unnumbered VALUES (?) ON CONFLICT DO NOTHING", (table,))

    def _is_known(self, table: str) -> bool:
        return table in {each.name for each in self._archive.tables()}

    def _rows(self, asked: str, *given: str) -> list[tuple[Any, ...]]:
        try:
            return self._archive.connection.execute(asked, given).fetchall()
        except sqlite3.Error as error:
            raise NoArchive(f"the club's archive cannot be read ({error}), nor who belongs to the club") from error
