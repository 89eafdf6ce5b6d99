"""Windows hold all that changed, and cost no more than one around all of it or one for each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.displays.partial_updates import CellGrid, Window, changed_windows

MEMORIES = st.builds(
    lambda seed, share, rows, columns, size: (
        (dice := np.random.default_rng(seed)).integers(0, 4, (rows, columns, size)).astype(np.uint8),
        dice.random((rows, columns)) < share,
    ),
    st.integers(0, 10_000),
    st.sampled_from((0.0, 0.02, 0.2, 0.7)),
    st.integers(1, 24),
    st.integers(1, 24),
    st.sampled_from((1, 2)),
)


def cells(memory: np.ndarray) -> CellGrid:
    """Of an array of rows x columns x bytes of a cell."""
    return CellGrid(tuple(row.tobytes() for row in memory), memory.shape[2])


def cost(windows: tuple[Window, ...], overhead: int, size: int) -> int:
    """In bytes. size: of a cell."""
    return sum(overhead + size * window.cells for window in windows)


def fewest(differs: np.ndarray, gap: int) -> list[tuple[int, int]]:
    """First and last cell of each window that saves most: two cells share one unless more than `gap` lie between."""
    cells = np.flatnonzero(differs)
    parts = np.split(cells, np.flatnonzero(np.diff(cells) > gap + 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts if len(part)]


@settings(max_examples=60)
@given(MEMORIES, st.integers(1, 40), st.booleans())
def test_windows_hold_all_that_changed_and_nothing_twice(
    given: tuple[np.ndarray, np.ndarray], overhead: int, banded: bool
) -> None:
    before, differs = given
    size = before.shape[2]
    after = before.copy()
    after[differs] ^= 1
    windows = changed_windows(cells(before), cells(after), overhead, banded)
    sent = np.zeros(differs.shape, int)
    for window in windows:
        sent[window.top : window.bottom + 1, window.left : window.right + 1] += 1
        assert not banded or window.top == window.bottom
    assert (sent[differs] == 1).all()
    assert sent.max() <= 1
    if banded:
        for row, cells_sent in zip(differs, sent, strict=True):
            assert fewest(row, overhead // size) == fewest(cells_sent.astype(bool), 0)
    elif differs.any():
        rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
        around = Window(int(rows[0]), int(rows[-1]), int(columns[0]), int(columns[-1]))
        assert cost(windows, overhead, size) <= cost((around,), overhead, size)


@pytest.mark.parametrize(("gap", "windows"), [(4, 1), (5, 2)])
def test_two_places_are_one_window_unless_two_save_bytes(gap: int, windows: int) -> None:
    before = np.zeros((1, 40, 2), np.uint8)
    after = before.copy()
    after[0, [3, 4 + gap]] = 1
    assert len(changed_windows(cells(before), cells(after), 8, banded=True)) == windows


def test_a_line_of_text_and_a_mark_beside_it_are_two_windows() -> None:
    before = np.zeros((64, 64, 2), np.uint8)
    after = before.copy()
    after[10:20, 2:40] = 1
    after[50:54, 60:62] = 1
    assert set(changed_windows(cells(before), cells(after), 16, banded=False)) == {
        Window(10, 19, 2, 39),
        Window(50, 53, 60, 61),
    }


def test_of_an_unknown_memory_all_is_sent() -> None:
    after = np.zeros((8, 128, 1), np.uint8)
    assert changed_windows(None, cells(after), 7, banded=False) == (Window(0, 7, 0, 127),)
    assert changed_windows(None, cells(after), 7, banded=True) == tuple(Window(row, row, 0, 127) for row in range(8))
