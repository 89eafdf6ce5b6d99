"""Which cells of a board were touched between two rests, without knowing pieces or rules.

The board is rectified to a small picture; at each rest every cell is compared with the last rest that was understood.
Light is divided out, cells under a hand are left out, and a cell that lost its outlines was emptied.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image

CELL_PX = 24
INSET = 0.12
LEAST_CHANGE = 0.055
NOISE_FACTOR = 5.0
HAND_CELLS = 2.4
"""A changed patch of more cells than this that reaches over the board's edge is a hand."""

REDRAWN = 0.45
"""A cell whose outlines change by more than this share of the stronger was touched, however like the colours are."""

FAINT = 0.08
"""Outlines weaker than this share of the strongest cell's count for nothing."""

EMPTIED = 0.4
"""A cell was emptied if less than this share of its outlines, over those of an empty cell, is left."""

EMPTY_SHARE = 20
"""Percentile of the cells' outlines that stands for an empty cell."""

Cell = tuple[int, int]
"""Row and column, from the top left."""

Floats = npt.NDArray[np.float32]


class Changes(msgspec.Struct, frozen=True):
    """Cells compared with the reference, by row and column.

    change: light-free difference. before, now: strength of outlines over an empty cell's.
    covered: cells under what may be a hand; touched: cells that differ by more than noise and are not covered.
    """

    change: Floats
    before: Floats
    now: Floats
    covered: npt.NDArray[np.bool_]
    touched: npt.NDArray[np.bool_]


class CellWatch:
    """Compares rectified boards, `CELL_PX` a cell with a border of one cell around."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.reference: Floats | None = None

    def adopt(self, board: Floats) -> None:
        """Everything on this board is understood."""
        self.reference = board

    def adopt_cells(self, board: Floats, where: npt.NDArray[np.bool_]) -> None:
        """The same for some cells, and for the border."""
        assert self.reference is not None
        mask = np.pad(where, 1, constant_values=True)
        full = np.kron(mask, np.ones((CELL_PX, CELL_PX), np.bool_))[..., None]
        self.reference = np.where(full, board, self.reference).astype(np.float32)

    def compare(self, board: Floats) -> Changes:
        """Raises ValueError before the first `adopt`."""
        if self.reference is None:
            raise ValueError("no board to compare with yet")
        apart = _apart(board, self.reference)
        covered = self._covered(apart)
        change = self._by_cell(apart)
        noise = float(np.median(change[~covered])) if (~covered).any() else 0.0
        before, now = self._by_cell(outlines(self.reference)), self._by_cell(outlines(board))
        empty = float(np.percentile(before, EMPTY_SHARE))
        before, now = np.maximum(before - empty, 0.0), np.maximum(now - empty, 0.0)
        stronger, differ = np.maximum(before, now), np.abs(now - before)
        faint = max(FAINT * float(stronger.max()), NOISE_FACTOR * float(np.median(differ)))
        redrawn = differ > np.maximum(REDRAWN * stronger, faint)
        touched = ((change > max(LEAST_CHANGE, NOISE_FACTOR * noise)) | redrawn) & ~covered
        return Changes(change, before, now, covered, touched)

    def _by_cell(self, values: Floats) -> Floats:
        """Mean over the inner part of each cell."""
        inset = round(CELL_PX * INSET)
        inner = values[CELL_PX:-CELL_PX, CELL_PX:-CELL_PX]
        blocks = inner.reshape(self.rows, CELL_PX, self.columns, CELL_PX)
        return np.asarray(blocks[:, inset : CELL_PX - inset, :, inset : CELL_PX - inset].mean(axis=(1, 3)), np.float32)

    def _covered(self, apart: Floats) -> npt.NDArray[np.bool_]:
        over = np.asarray(apart > 2 * LEAST_CHANGE, np.uint8)
        over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
        over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(over, connectivity=8)
        rim = np.ones(labels.shape, np.bool_)
        rim[CELL_PX // 2 : -CELL_PX // 2, CELL_PX // 2 : -CELL_PX // 2] = False
        hand = np.zeros(labels.shape, np.float32)
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] > HAND_CELLS * CELL_PX**2 and (rim & (labels == label)).any():
                hand[labels == label] = 1.0
        return np.asarray(self._by_cell(hand) > 0.05)


def light_free(board: Image) -> Floats:
    """A rectified board without its slow light: each channel over its wide mean brightness, lightly blurred."""
    light = board.astype(np.float32) + 8.0
    brightness = light.mean(axis=2)
    around = cv2.blur(brightness, (5 * CELL_PX + 1, 5 * CELL_PX + 1))
    return np.asarray(cv2.GaussianBlur(light / around[..., None], (0, 0), 1.0), np.float32)


def _apart(one: Floats, other: Floats) -> Floats:
    """Largest difference of a channel; a pixel's best match within one pixel, so that a shaken camera is no change."""
    apart = np.abs(one - other).max(axis=2)
    low = cv2.erode(other, np.ones((3, 3), np.uint8))
    high = cv2.dilate(other, np.ones((3, 3), np.uint8))
    outside = np.maximum(np.maximum(low - one, one - high), 0).max(axis=2)
    return np.asarray(0.3 * apart + 0.7 * outside, np.float32)


def outlines(board: Floats) -> Floats:
    """Strength of edges, the sum over channels."""
    across = np.abs(cv2.Sobel(board, cv2.CV_32F, 1, 0)).sum(axis=2)
    down = np.abs(cv2.Sobel(board, cv2.CV_32F, 0, 1)).sum(axis=2)
    return np.asarray(across + down, np.float32)


def moved(changes: Changes) -> tuple[Cell, Cell] | None:
    """The one piece that was carried: from the cell that lost its outlines most, to the one that changed most else.

    None if no cell was emptied, or nothing but emptied cells was touched.
    """
    touched = [(int(row), int(column)) for row, column in np.argwhere(changes.touched)]
    lost = {cell: float(changes.now[cell] / max(1e-6, changes.before[cell])) for cell in touched}
    emptied = [cell for cell in touched if lost[cell] < EMPTIED]
    if not emptied:
        return None
    source = max(emptied, key=lambda cell: float(changes.before[cell] - changes.now[cell]))
    others = [cell for cell in touched if cell != source and lost[cell] >= EMPTIED]
    if not others:
        return None
    target = max(others, key=lambda cell: float(changes.change[cell]))
    return source, target
