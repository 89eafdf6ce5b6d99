"""The rectified board as a grid of cells, with a border of one cell around: its picture in logarithms of light."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

CELL_PX = 24
INSET = 0.12
"""The share of a cell on each side that is not looked at: neighbours' pieces lean over it."""

DARK = 12.0
"""Added to brightness before its logarithm is taken: in the dark there is more noise than light."""

Cell = tuple[int, int]
"""Row and column, from the top left."""

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


class Grid:
    """Rows and columns of a board whose picture is `CELL_PX` a cell; arrays by cell include the border."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.shape = (rows + 2, columns + 2)
        self.size = (self.shape[1] * CELL_PX, self.shape[0] * CELL_PX)
        self._inset = round(CELL_PX * INSET)

    def blocks(self, values: Floats) -> Floats:
        """A picture by cells: (rows + 2) x CELL_PX x (columns + 2) x CELL_PX [x channels], a view."""
        return values.reshape(self.shape[0], CELL_PX, self.shape[1], CELL_PX, *values.shape[2:])

    def inner(self, values: Floats) -> Floats:
        """The same without each cell's margins."""
        inside = slice(self._inset, CELL_PX - self._inset)
        return self.blocks(values)[:, inside, :, inside]

    def mean(self, values: Floats) -> Floats:
        """The mean over the inner part of each cell."""
        return np.asarray(self.inner(values).mean(axis=(1, 3)), np.float32)

    def spread(self, by_cell: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        """A value a cell as a picture."""
        return np.repeat(np.repeat(by_cell, CELL_PX, axis=0), CELL_PX, axis=1)

    def patch(self, values: Floats, cell: Cell) -> Floats:
        """The inner part of one cell of the board, a view."""
        return self.inner(values)[cell[0] + 1, :, cell[1] + 1, :]

    def cells(self, flags: Flags) -> list[Cell]:
        """The cells of the board proper that are set."""
        return [(int(row), int(column)) for row, column in np.argwhere(flags[1:-1, 1:-1])]


class Rectifier:
    """Flattens frames of a fixed camera: the board's corners in the picture, clockwise from its top left."""

    def __init__(self, grid: Grid, corners: Sequence[tuple[float, float]], width: int, height: int) -> None:
        outer = np.array([[1, 1], [grid.columns + 1, 1], [grid.columns + 1, grid.rows + 1], [1, grid.rows + 1]])
        flat = (outer * CELL_PX - 0.5).astype(np.float32)
        image = np.array(corners, np.float32)
        self._size = grid.size
        around = cv2.perspectiveTransform(_frame(grid.size), cv2.getPerspectiveTransform(flat, image))[0]
        low = np.clip(np.floor(around.min(axis=0)), 0, (width - 2, height - 2)).astype(int)
        high = np.clip(np.ceil(around.max(axis=0)), low + 2, (width, height)).astype(int)
        self._crop = (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))
        side = float(np.sqrt(cv2.contourArea(image) / (grid.rows * grid.columns)))
        scale = min(1.0, 1.5 * CELL_PX / side)
        wide, tall = (max(2, round(extent * scale)) for extent in (high - low))
        self._shrunk = (wide, tall)
        within = (image - low + 0.5) * np.array([wide, tall]) / (high - low) - 0.5
        self._warp = cv2.getPerspectiveTransform(within.astype(np.float32), flat)
        seen = cv2.warpPerspective(np.ones((tall, wide), np.uint8), self._warp, self._size, flags=cv2.INTER_NEAREST)
        self.seen: Flags = np.asarray(seen > 0)
        """Pixels of the flat picture that the camera sees at all."""

    def __call__(self, image: Image) -> Image:
        """The flat board, uint8 BGR."""
        shrunk = cv2.resize(image[self._crop], self._shrunk, interpolation=cv2.INTER_AREA)
        flat = cv2.warpPerspective(shrunk, self._warp, self._size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(flat, np.uint8)


def _frame(size: tuple[int, int]) -> Floats:
    wide, tall = size
    return np.array([[[0, 0], [wide, 0], [wide, tall], [0, tall]]], np.float32)


def gray(values: Floats) -> Floats:
    """The mean over the three channels."""
    return np.asarray(cv2.transform(values, np.full((1, 3), 1 / 3)), np.float32)


def logs(board: Image | Floats) -> Floats:
    """Logarithm of light, so that a lamp or a shadow is a difference."""
    return np.asarray(cv2.log(board.astype(np.float32) + np.float32(DARK)), np.float32)
