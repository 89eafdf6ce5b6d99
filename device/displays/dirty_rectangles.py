"""Finds the changed rectangles of a display's memory, split where that saves bytes.

Uses plain integers; importing numpy would slow the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias


class Window(NamedTuple):
    """A rectangle of cells, ends included."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


class CellGrid(NamedTuple):
    """Memory as rows of cells. size: bytes of a cell."""

    rows: tuple[bytes, ...]
    size: int

    @property
    def columns(self) -> int:
        return len(self.rows[0]) // self.size

    def part(self, window: Window) -> bytes:
        """Return the window's cells by rows."""
        left, right = window.left * self.size, (window.right + 1) * self.size
        return b"".join(row[left:right] for row in self.rows[window.top : window.bottom + 1])


Differs: TypeAlias = Sequence[int]
"""Changed cells, one `_bits` number per row."""


def changed_windows(before: CellGrid | None, after: CellGrid, overhead: int, banded: bool) -> tuple[Window, ...]:
    """Return windows that cover every change.

    before: None if the memory is unknown.
    overhead: extra bytes per window.
    banded: windows have a single row.
    """
    if before is None:
        differ = [b"\1" * after.columns] * len(after.rows)
    else:
        differ = [_differing(*rows, after.size) for rows in zip(before.rows, after.rows, strict=True)]
    if banded:
        return tuple(run for row, cells in enumerate(differ) for run in _runs(row, cells, overhead // after.size))
    return tuple(_split([_bits(cells) for cells in differ], 0, 0, overhead / after.size))


def _differing(before: bytes, after: bytes, size: int) -> bytes:
    if size == 1:
        both = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
        return both.to_bytes(len(after), "little")
    if before == after:
        return bytes(len(after) // size)
    return bytes(before[at : at + size] != after[at : at + size] for at in range(0, len(after), size))


def _runs(row: int, differ: bytes, gap: int) -> Iterator[Window]:
    return (Window(row, row, run.start(), run.end() - 1) for run in _run(gap).finditer(differ))


@cache
def _run(gap: int) -> re.Pattern[bytes]:
    return re.compile(rb"[^\0](?:\0{0,%d}[^\0])*" % gap)


def _bits(differ: bytes) -> int:
    return int(differ[::-1].translate(_DIGITS), 2)


_DIGITS = b"0" + b"1" * 255


def _split(differ: Differs, top: int, left: int, overhead: float) -> Iterator[Window]:
    """Split recursively while it saves more than `overhead` cells."""
    rows = [number for number, row in enumerate(differ) if row]
    if not rows:
        return
    union = 0
    for row in differ:
        union |= row
    first, width = _first(union), _width(union)
    inside = [row >> first for row in differ[rows[0] : rows[-1] + 1]]
    top, left = top + rows[0], left + first
    down, saved_down = _cut(inside, width)
    turned = _transpose(inside, width)
    across, saved_across = _cut(turned, len(inside))
    if max(saved_down, saved_across) <= overhead:
        yield Window(top, top + len(inside) - 1, left, left + width - 1)
    elif saved_down >= saved_across:
        yield from _split(inside[:down], top, left, overhead)
        yield from _split(inside[down:], top + down, left, overhead)
    else:
        near = (1 << across) - 1
        yield from _split([row & near for row in inside], top, left, overhead)
        yield from _split([row >> across for row in inside], top, left + across, overhead)


def _first(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


def _width(cells: int) -> int:
    return cells.bit_length() - _first(cells) if cells else 0


def _transpose(differ: Differs, width: int) -> Differs:
    lines = (f"{row:0{width}b}" for row in reversed(differ))
    return [int("".join(column), 2) for column in zip(*lines, strict=True)][::-1]


def _cut(differ: Differs, width: int) -> tuple[int, int]:
    if len(differ) < 2:
        return 0, 0
    above = _areas(differ)[:-1]
    below = _areas(differ[::-1])[-2::-1]
    sent = [sum(both) for both in zip(above, below, strict=True)]
    least = min(sent)
    return sent.index(least) + 1, len(differ) * width - least


def _areas(differ: Differs) -> list[int]:
    found = list[int]()
    union = area = 0
    for number, row in enumerate(differ, 1):
        if row:
            union |= row
            area = number * _width(union)
        found.append(area)
    return found
