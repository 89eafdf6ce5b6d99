"""Checks a journal before writing, since SQLite would overwrite a damaged log."""

from __future__ import annotations

from pathlib import Path

import msgspec

from device.journal.errors import damage_error, translated_errors
from device.journal.formats import CURRENT, NOTHING, Row, log_of
from device.journal.raw_pages import Found, content, records
from device.journal.reading import Archive, Stock


class Proof(msgspec.Struct, frozen=True):
    """An intact journal. rows, settings: of one interrupted but complete write."""

    format: int
    stock: Stock
    rows: tuple[Row, ...] = ()
    settings: dict[str, str] = {}

    @property
    def left(self) -> bool:
        return bool(self.rows or self.settings)


def prove(path: Path) -> Proof:
    """Check a journal. Raises JournalDamaged if a record is damaged or missing, and JournalError."""
    with translated_errors(path):
        log = content(log_of(path))
    with Archive(path) as archive:
        stock, version = archive.stock, archive.format
        if stock.fault:
            raise damage_error(path, stock.fault)
        for match, count in archive.missing.items():
            raise damage_error(path, f"{count} entries of match {match} are missing")
    return _with_the_rest(path, Proof(version, stock), Found(records(b"", log)))


def _with_the_rest(path: Path, proof: Proof, found: Found) -> Proof:
    """Accept one interrupted write at the log's end; several mean damage."""
    heads = proof.stock.heads
    rows = tuple(row for match in found.matches for row in found.rows(match, heads.get(match, NOTHING)))
    counts = {match: heads.get(match, NOTHING).count for match in found.matches}
    for row in rows:
        counts[row.match] = row.seq + 1
    if sum(row.more == 0 for row in rows) > 1 or any(found.reach(match) > count for match, count in counts.items()):
        raise damage_error(path, "its log of writes is not whole")
    newer = {name: each.value for name, each in found.settings.items() if each.stamp > proof.stock.stamp}
    if begun := [row.match for row in rows if row.seq == 0]:
        newer.setdefault(CURRENT, str(begun[0]))
    return msgspec.structs.replace(proof, rows=rows, settings=newer)
