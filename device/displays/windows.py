"""Which parts of a display's memory have to be written: rectangles of changed cells, joined where that saves bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.uint8]
"""A display's memory as cells: shape (bands, columns, bytes of a cell). A band is 8 rows of pixels high."""


class Window(NamedTuple):
    """A rectangle of cells; both ends are included."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def joined(self, other: Window) -> Window:
        """The smallest window that holds both."""
        return Window(
            min(self.top, other.top),
            max(self.bottom, other.bottom),
            min(self.left, other.left),
            max(self.right, other.right),
        )


def changed(before: Cells | None, after: Cells, overhead: int, banded: bool) -> tuple[Window, ...]:
    """Windows that hold every cell that differs.

    overhead: bytes that addressing one window costs, on top of its cells. banded: a window may not span bands.
    before None: nothing is known of the memory, so all of it is sent.
    """
    bands, columns, size = after.shape
    if before is None:
        whole = Window(0, bands - 1, 0, columns - 1)
        return tuple(Window(band, band, 0, columns - 1) for band in range(bands)) if banded else (whole,)
    differ = (before != after).any(axis=2)
    windows: list[Window] = []
    for band in np.flatnonzero(differ.any(axis=1)):
        windows += _runs(differ[band], int(band), overhead // size)
    return tuple(windows) if banded else tuple(_join(windows, overhead, size))


def _runs(differ: npt.NDArray[np.bool_], band: int, gap: int) -> list[Window]:
    """Runs of changed columns; a gap too short to be worth a window of its own is sent along."""
    places = np.flatnonzero(differ)
    breaks = np.flatnonzero(np.diff(places) > gap + 1)
    starts, ends = np.append(0, breaks + 1), np.append(breaks, len(places) - 1)
    return [Window(band, band, int(places[start]), int(places[end])) for start, end in zip(starts, ends, strict=True)]


def _join(windows: list[Window], overhead: int, size: int) -> list[Window]:
    """Joins windows of neighbouring bands as long as that saves bytes."""
    done: list[Window] = []
    for window in windows:
        best = min(done, key=lambda other: _extra(other, window, size), default=None)
        if best is not None and _extra(best, window, size) <= overhead:
            done.remove(best)
            done.append(best.joined(window))
        else:
            done.append(window)
    return done


def _extra(one: Window, other: Window, size: int) -> int:
    """Bytes that are sent for nothing if two windows are sent as one."""
    return (one.joined(other).cells - one.cells - other.cells) * size
