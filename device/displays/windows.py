"""Which parts of a display's memory have to be written: rectangles of changed cells, split where that saves bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.uint8]
"""A display's memory as cells: shape (rows, columns, bytes of a cell). How many pixels a cell has is the controller's
affair."""

Differs = npt.NDArray[np.bool_]
"""Which cells differ: rows x columns."""


class Window(NamedTuple):
    """A rectangle of cells; both ends are included."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


def changed(before: Cells | None, after: Cells, overhead: int, banded: bool) -> tuple[Window, ...]:
    """Windows that hold every cell that differs.

    overhead: bytes that one window costs, on top of its cells. banded: a window holds one row of cells at most.
    before None: nothing is known of the memory, so all of it is sent.
    """
    rows, columns, size = after.shape
    differ = (before != after).any(axis=2) if before is not None else np.ones((rows, columns), np.bool_)
    parts = [(row, differ[row : row + 1]) for row in range(rows)] if banded else [(0, differ)]
    return tuple(window for top, part in parts for window in _split(part, top, 0, overhead / size))


def _split(differ: Differs, top: int, left: int, overhead: float) -> Iterator[Window]:
    """Windows in a part of the memory that begins at (top, left): halved for as long as that saves cells.

    overhead: cells that a window more must save.
    """
    rows, columns = np.flatnonzero(differ.any(axis=1)), np.flatnonzero(differ.any(axis=0))
    if not len(rows):
        return
    inside = differ[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    top, left = top + int(rows[0]), left + int(columns[0])
    down, saved_down = _cut(inside)
    across, saved_across = _cut(inside.T)
    if max(saved_down, saved_across) <= overhead:
        yield Window(top, top + inside.shape[0] - 1, left, left + inside.shape[1] - 1)
    elif saved_down >= saved_across:
        yield from _split(inside[:down], top, left, overhead)
        yield from _split(inside[down:], top + down, left, overhead)
    else:
        yield from _split(inside[:, :across], top, left, overhead)
        yield from _split(inside[:, across:], top, left + across, overhead)


def _cut(differ: Differs) -> tuple[int, int]:
    """Before which row a part is best cut in two, and how many cells need not be sent then; (0, 0): it has but one."""
    count, width = differ.shape
    if count < 2:
        return 0, 0
    some: Differs = np.asarray(differ.any(axis=1))
    first = np.where(some, differ.argmax(axis=1), width)
    last = np.where(some, width - 1 - differ[:, ::-1].argmax(axis=1), -1)
    above = _area(some, first, last)[:-1]
    below = _area(some[::-1], first[::-1], last[::-1])[::-1][1:]
    sent = above + below
    best = int(sent.argmin())
    return best + 1, count * width - int(sent[best])


def _area(some: Differs, first: npt.NDArray[np.intp], last: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Cells of the smallest window over all rows from the first on, for each row that may be the last of them."""
    high = np.maximum.accumulate(np.where(some, np.arange(1, len(some) + 1), 0))
    return np.asarray(high * (np.maximum.accumulate(last) - np.minimum.accumulate(first) + 1), np.intp)
