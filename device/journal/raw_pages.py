"""Reads records directly from SQLite's pages, to salvage a damaged journal, and to check one before writing, as
SQLite would overwrite a damaged log.

Formats: https://www.sqlite.org/fileformat2.html, sections 1.5 to 1.6, 2.1 and 4.1."""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from device.journal.errors import damage_error, translated_errors
from device.journal.formats import (
    CURRENT,
    NOTHING,
    ChainHead,
    OldRow,
    OldSetting,
    Row,
    Setting,
    chain_rows,
    log_of,
    parse_record,
)
from device.journal.reading import Archive, Stock

PAGE = 4096
"""Bytes of a page, SQLite's default."""

Value: TypeAlias = int | bytes | str | None
Record: TypeAlias = tuple[Value, ...]

_LOG_HEADER, _FRAME_HEADER = 32, 24
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INSIDE = 0x0D, 0x0A, 0x02
_LARGEST = 1 << 22
"""Bytes of the largest plausible record."""

_TABLE_LOCAL = PAGE - 35
_INDEX_LOCAL = (PAGE - 12) * 64 // 255 - 23
_LEAST_LOCAL = (PAGE - 12) * 32 // 255 - 23
_SIZES = (0, 1, 2, 3, 4, 6, 8)
"""Bytes of integers by serial type."""

_BRANCHES = 8
"""Combinations tried for a long record whose pages have several versions."""


class Cell(NamedTuple):
    """A record on its page: total length, local bytes, overflow page or 0."""

    length: int
    local: bytes
    onward: int


def records(database: bytes, log: bytes) -> Iterator[Record]:
    """Yield every record on any page once, outdated or altered ones included."""
    pages = [*_of_database(database), *_of_log(log)]
    versions: dict[int, list[bytes]] = defaultdict(list)
    for number, page in reversed(pages):
        versions[number].append(page)
    seen: set[Cell] = set()
    for number, page in pages:
        for cell in _cells(page, 100 if number == 1 else 0):
            if cell not in seen:
                seen.add(cell)
                yield from filter(None, map(_decode, _payloads(cell, versions)))


def content(path: Path) -> bytes:
    """Return a file's bytes, zeros where unreadable; b"" without a file. Raises OSError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        if error.errno != errno.EIO:
            raise
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        return b"".join(_block(file.fileno(), start, min(PAGE, size - start)) for start in range(0, size, PAGE))


def _block(handle: int, start: int, size: int) -> bytes:
    try:
        return os.pread(handle, size, start).ljust(size, b"\0")
    except OSError:
        return bytes(size)


def _of_database(data: bytes) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(data), PAGE):
        yield start // PAGE + 1, data[start : start + PAGE].ljust(PAGE, b"\0")


def _of_log(data: bytes) -> Iterator[tuple[int, bytes]]:
    for start in range(_LOG_HEADER, len(data), _FRAME_HEADER + PAGE):
        page = data[start + _FRAME_HEADER : start + _FRAME_HEADER + PAGE].ljust(PAGE, b"\0")
        yield int.from_bytes(data[start : start + 4], "big"), page


def _cells(page: bytes, start: int) -> Iterator[Cell]:
    kind = page[start]
    if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INSIDE):
        return
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    first = start + (12 if kind == _INDEX_INSIDE else 8)
    for place in range(first, min(first + 2 * count, PAGE - 1), 2):
        cell = _cell(page, int.from_bytes(page[place : place + 2], "big"), kind)
        if cell is not None:
            yield cell


def _cell(page: bytes, at: int, kind: int) -> Cell | None:
    length, at = _varint(page, at + 4 if kind == _INDEX_INSIDE else at)
    if kind == _TABLE_LEAF:
        _, at = _varint(page, at)
    if not 0 < length <= _LARGEST:
        return None
    local = _local(length, kind)
    end = at + local
    if end + (4 if local < length else 0) > PAGE:
        return None
    onward = int.from_bytes(page[end : end + 4], "big") if local < length else 0
    return Cell(length, page[at:end], onward)


def _local(length: int, kind: int) -> int:
    most = _TABLE_LOCAL if kind == _TABLE_LEAF else _INDEX_LOCAL
    if length <= most:
        return length
    some = _LEAST_LOCAL + (length - _LEAST_LOCAL) % (PAGE - 4)
    return some if some <= most else _LEAST_LOCAL


def _payloads(cell: Cell, versions: Mapping[int, list[bytes]]) -> Iterator[bytes]:
    found = [(cell.local, cell.onward)]
    while any(onward and len(data) < cell.length for data, onward in found):
        longer = [
            (data + page[4:], int.from_bytes(page[:4], "big"))
            for data, onward in found
            for page in versions.get(onward, ())
        ]
        found = longer[:_BRANCHES]
    for data, _ in found:
        if len(data) >= cell.length:
            yield data[: cell.length]


def _decode(payload: bytes) -> Record | None:
    size, at = _varint(payload, 0)
    if not 0 < size <= len(payload):
        return None
    values: list[Value] = []
    place = size
    while at < size:
        serial, at = _varint(payload, at)
        length = _SIZES[serial] if serial < len(_SIZES) else (serial - 12) // 2 if serial >= 12 else 0
        if place + length > len(payload) or serial in (7, 10, 11):
            return None
        values.append(_value(serial, payload[place : place + length]))
        place += length
    return tuple(values)


def _value(serial: int, data: bytes) -> Value:
    if serial == 0:
        return None
    if serial >= 12:
        return data.decode(errors="replace") if serial % 2 else data
    return int.from_bytes(data, "big", signed=True) if serial < 8 else serial - 8


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for count in range(9):
        if at >= len(data):
            return -1, at
        byte, at = data[at], at + 1
        if count == 8:
            return value << 8 | byte, at
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at
    return value, at


class Found:
    """Rows and settings among any records, duplicates and outdated ones included."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._rows: dict[int, dict[int, set[Row]]] = defaultdict(lambda: defaultdict(set))
        self._old: dict[int, dict[int, set[bytes]]] = defaultdict(lambda: defaultdict(set))
        self._settings: dict[str, Setting] = {}
        self._kept: dict[str, str] = {}
        for record in records:
            match parse_record(record):
                case Row() as row:
                    self._rows[row.match][row.seq].add(row)
                case OldRow(whole=True) as old:
                    self._old[old.match][old.seq].add(old.data)
                case Setting(whole=True) as each:
                    known = self._settings.setdefault(each.name, each)
                    self._settings[each.name] = max(known, each, key=lambda found: found.stamp)
                case OldSetting(name, value):
                    self._kept[name] = value
                case _:
                    pass

    @property
    def settings(self) -> dict[str, Setting]:
        """The newest intact setting of each name."""
        return dict(self._settings)

    @property
    def old_settings(self) -> dict[str, str]:
        """Settings of format 1; empty if there is any of format 2."""
        return {} if self._settings else dict(self._kept)

    @property
    def matches(self) -> tuple[int, ...]:
        """Matches with traces, oldest first."""
        return tuple(sorted({*self._rows, *self._old}))

    def rows(self, match: int, head: ChainHead = NOTHING) -> tuple[Row, ...]:
        """Return a match's longest chain of rows after this head, in whole groups."""
        steps: list[dict[bytes, tuple[Row, bytes]]] = []
        ends = {head.chain}
        while ends:
            step = {
                row.chain: (row, end) for end in sorted(ends) for row in self._next(match, head.count + len(steps), end)
            }
            steps.append(step)
            ends = set(step)
        return _whole_groups(_back(steps))

    def reach(self, match: int) -> int:
        """Return the least number of entries the match had."""
        rows, old = self._rows.get(match, {}), self._old.get(match, {})
        followed = (seq + 2 for seq, here in rows.items() if any(self._next(match, seq + 1, row.chain) for row in here))
        beside = (seq + 1 for seq in old if seq - 1 in old or seq + 1 in old)
        return max(*followed, *beside, 0, 0)

    def _next(self, match: int, seq: int, before: bytes) -> list[Row]:
        found = [row for row in self._rows.get(match, {}).get(seq, ()) if row.follows(before)]
        if not found:
            old = self._old.get(match, {}).get(seq, ())
            found = [row for data in old for row in chain_rows(match, ChainHead(seq, before), [(0, data)])]
        return sorted(found, key=lambda row: row.chain)


def _back(steps: list[dict[bytes, tuple[Row, bytes]]]) -> list[Row]:
    rows: list[Row] = []
    end = None
    for step in reversed(steps):
        if not step:
            continue
        row, end = step[end] if end is not None else step[min(step)]
        rows.append(row)
    return rows[::-1]


def _whole_groups(rows: list[Row]) -> tuple[Row, ...]:
    count = next((n for n in range(len(rows), 0, -1) if rows[n - 1].more == 0), 0)
    return tuple(rows[:count])


class Proof(msgspec.Struct, frozen=True):
    """An intact journal. stock: its contents. rows, settings: of one interrupted but complete write."""

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
    """Return the proof with the log's one further write. Raises JournalDamaged for several."""
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
