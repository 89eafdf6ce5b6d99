"""Which parts of a display's memory have to be written: rectangles of changed cells, split where that saves bytes.

In plain integers: reading in numpy, for this alone, was a sixth of all that the daemon did before it was ready.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias


class Window(NamedTuple):
    """A rectangle of cells; both ends are included."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


class CellGrid(NamedTuple):
    """A display's memory as rows of cells. size: bytes of a cell; how many pixels it has is the controller's affair."""

    rows: tuple[bytes, ...]
    size: int

    @property
    def columns(self) -> int:
        return len(self.rows[0]) // self.size

    def part(self, window: Window) -> bytes:
        """The window's cells, row by row."""
        left, right = window.left * self.size, (window.right + 1) * self.size
        return b"".join(row[left:right] for row in self.rows[window.top : window.bottom + 1])


Differs: TypeAlias = Sequence[int]
"""Which cells differ: a number (`_bits`) a row."""


def changed_windows(before: CellGrid | None, after: CellGrid, overhead: int, banded: bool) -> tuple[Window, ...]:
    """Windows that hold every cell that differs.

    overhead: bytes that one window costs, on top of its cells. banded: a window holds one row of cells at most.
    before None: nothing is known of the memory, so all of it is sent.
    """
    if before is None:
        differ = [b"\1" * after.columns] * len(after.rows)
    else:
        differ = [_differing(*rows, after.size) for rows in zip(before.rows, after.rows, strict=True)]
    if banded:
        return tuple(run for row, cells in enumerate(differ) for run in _runs(row, cells, overhead // after.size))
    return tuple(_split([_bits(cells) for cells in differ], 0, 0, overhead / after.size))


def _differing(before: bytes, after: bytes, size: int) -> bytes:
    """Compare two rows: return a byte for each cell, not 0 if the cell differs."""
    if size == 1:
        both = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
        return both.to_bytes(len(after), "little")
    if before == after:
        return bytes(len(after) // size)
    return bytes(before[at : at + size] != after[at : at + size] for at in range(0, len(after), size))


def _runs(row: int, differ: bytes, gap: int) -> Iterator[Window]:
    """Windows in one row, the fewest bytes there are: two where more than `gap` cells between them stay as they are."""
    return (Window(row, row, run.start(), run.end() - 1) for run in _run(gap).finditer(differ))


@cache
def _run(gap: int) -> re.Pattern[bytes]:
    return re.compile(rb"[^\0](?:\0{0,%d}[^\0])*" % gap)


def _bits(differ: bytes) -> int:
    """A number in which the bit of each cell that differs is set, the first cell's lowest."""
    return int(differ[::-1].translate(_DIGITS), 2)


_DIGITS = b"0" + b"1" * 255


def _split(differ: Differs, top: int, left: int, overhead: float) -> Iterator[Window]:
    """Windows in a part of the memory that begins at (top, left): halved for as long as that saves cells.

    overhead: cells that a window more must save.
    """
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
    """The first cell of those that are set, of which there is one."""
    return (cells & -cells).bit_length() - 1


def _width(cells: int) -> int:
    """Return the distance from the first cell that is set to the last; 0: none is."""
    return cells.bit_length() - _first(cells) if cells else 0


def _transpose(differ: Differs, width: int) -> Differs:
    """A number a column, of as many bits as there are rows."""
    lines = (f"{row:0{width}b}" for row in reversed(differ))
    return [int("".join(column), 2) for column in zip(*lines, strict=True)][::-1]


def _cut(differ: Differs, width: int) -> tuple[int, int]:
    """Return before which row a part is best cut in two, and how many cells that saves; (0, 0) for a single row. width:
    cells in a row."""
    if len(differ) < 2:
        return 0, 0
    above = _areas(differ)[:-1]
    below = _areas(differ[::-1])[-2::-1]
    sent = [sum(both) for both in zip(above, below, strict=True)]
    least = min(sent)
    return sent.index(least) + 1, len(differ) * width - least


def _areas(differ: Differs) -> list[int]:
    """Cells of the smallest window over all rows from the first on, for each row that may be the last of them."""
    found = list[int]()
    union = area = 0
    for number, row in enumerate(differ, 1):
        if row:
            union |= row
            area = number * _width(union)
        found.append(area)
    return found
