"""Rows of a journal as stored, and the entries that they hold."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence

import msgspec

from engine.entry import Entry, encode


class Row(msgspec.Struct, frozen=True):
    """One entry as stored: `crc` is the CRC-32 of `data`."""

    match: int
    seq: int
    data: bytes
    crc: int

    @property
    def whole(self) -> bool:
        """False if it was altered."""
        return zlib.crc32(self.data) == self.crc


def rows_of(match: int, seq: int, entries: Sequence[Entry]) -> tuple[Row, ...]:
    """Entries of a match as they are stored, from place `seq` on."""
    return tuple(Row(match, seq + n, data, zlib.crc32(data)) for n, data in enumerate(map(encode, entries)))


def read_rows(db: sqlite3.Connection, clause: str, *values: object) -> Iterator[Row]:
    """Rows, whole or not. What damage left without its numbers is no row."""
    for match, seq, data, crc in db.execute(f"SELECT match, seq, CAST(data AS BLOB), crc FROM entry {clause}", values):
        if isinstance(match, int) and isinstance(seq, int):
            yield Row(match, seq, data or b"", crc if isinstance(crc, int) else -1)


def whole_rows(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows of one match, in order, up to the first that is missing or not whole."""
    count = next((n for n, row in enumerate(rows) if row.seq != n or not row.whole), len(rows))
    return tuple(rows[:count])
