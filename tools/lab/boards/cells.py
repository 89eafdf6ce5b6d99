"""Detects which cells of a board have changed, each by itself, without knowing pieces or rules.

A cell is read when nothing has moved in it for a moment and no hand lies over it, whatever happens elsewhere, and is
compared with its own last look. Light is divided out, so a lamp, a shadow or the camera's exposure is no change.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np

from tools.lab.boards.cover import Cover
from tools.lab.boards.grid import Cell, Flags, Floats, Grid, gray

SETTLE_S = 0.3
"""A cell is read after this long without motion in it."""

LEAST_CHANGE = 0.085
"""Logarithm of light, as a root mean square over the cell, that is more than a codec does."""

NOISE_FACTOR = 3.5

EMPTY_SHARE = 30
"""Percentile of the cells' structure that stands for an empty cell."""

LIGHT_S = 1.0
"""A change that no hand was near is light, and is taken as it is after so long."""

SURE = 15
"""Or at once if the look before it was seen in fewer pictures than this."""

ALIKE = 0.85
EVEN = 0.35
"""Two looks whose patterns correlate better, and are about as strong, differ in light only."""

STEADY = 6
"""A look is the mean of at most about so many pictures."""

RENEWAL = 0.1
RENEWED = 0.05
"""How fast the usual difference, and the known look itself, follow what is seen."""

FLAT = 0.03
"""Added to structure before its logarithm is taken: less is next to none."""

STRONGEST = 1.0
"""A pixel's difference counts for no more than this: a glint is not a piece."""

Tone = tuple[float, float, float]
Grids = Floats
"""One number a cell, border included."""


class Change(msgspec.Struct, frozen=True):
    """A cell that has come to look different, and stays so.

    since: when its old look was last seen; by: when its new one was first. change: how different. before, now: how much
    structure it has, an empty cell's being next to none. kept: how much of its pattern is still the same, from 0 to 1.
    remains: how uneven it is now where it changed, which is next to nothing where a piece left, whatever leans in from
    the next cell. tone: mean logarithm of light of what changed, before and now.
    """

    cell: Cell
    since: float
    by: float
    change: float
    before: float
    now: float
    kept: float
    remains: float
    tone_before: Tone
    tone_now: Tone

    @property
    def lost(self) -> float:
        """How much of its structure went, as a logarithm: positive if a piece left, negative if one came."""
        return float(np.log((self.before + FLAT) / (self.now + FLAT)))


class CellWatch:
    """Feed it flat boards as logarithms of light, and where things moved; `changes` is what has changed."""

    def __init__(self, grid: Grid, seen: Flags) -> None:
        self.grid = grid
        self.changes: dict[Cell, Change] = {}
        self.known: Floats | None = None
        """The last look of every cell that was understood; meaningless where `has` is not set."""
        self.has: Flags = np.zeros(grid.shape, np.bool_)
        self.covered: Flags = np.zeros(grid.shape, np.bool_)
        self.reached = False
        """Whether something reaches in over the board's rim."""
        self.settled: Flags = np.zeros(grid.shape, np.bool_)
        self.quiet_since = np.zeros(grid.shape)
        self._cover = Cover(grid, seen)
        self._look: Floats | None = None
        self._pending: Floats | None = None
        self._pictures = np.zeros(grid.shape, np.int32)
        self._last_same = np.zeros(grid.shape)
        self._last_look = np.zeros(grid.shape)
        self._visited = np.full(grid.shape, -np.inf)
        self._usual = np.zeros(grid.shape, np.float32)
        self._seen_same = np.zeros(grid.shape, np.int32)

    def feed(self, board: Floats, since: float, at: float, moved: Flags) -> None:
        """board: logarithms of light, of the time from `since` to `at`. moved: cells with motion, border included."""
        if self.known is None or self._look is None:
            self.known, self._look, self._pending = board.copy(), board.copy(), board.copy()
            self.quiet_since[:] = since
        board = board - self._light(board)
        known = np.asarray(self.grid.spread(self.has), np.bool_)
        self.covered, touched, self.reached = self._cover(board, self.known, known)
        self._visited[touched] = at
        self._gather(board, at, moved | self.covered)
        self.settled = at - self.quiet_since >= SETTLE_S - 1e-3
        self._compare(at)

    def bare(self) -> float:
        """The structure of an empty cell of this board, if a third of its cells are."""
        if self.known is None:
            return 0.0
        inner = self.has[1:-1, 1:-1]
        power = (patterns(self.grid, self.known)[1:-1, 1:-1][inner] ** 2).mean(axis=1)
        return float(np.sqrt(np.percentile(power, EMPTY_SHARE))) if inner.any() else 0.0

    def left(self, since: float, at: float) -> bool:
        """Whether every cell that a hand may have touched since then can be read again."""
        return not bool(((self._visited >= since) & (self._visited <= at) & ~self.settled)[1:-1, 1:-1].any())

    def clear(self, cell: Cell) -> bool:
        """Whether a cell of the board and all around it, the border too, can be read."""
        row, column = cell
        return bool(self.settled[row : row + 3, column : column + 3].all())

    def understand(self, cell: Cell) -> None:
        """What this cell looks like now is its look from now on."""
        self.changes.pop(cell, None)
        place = np.zeros(self.grid.shape, np.bool_)
        place[cell[0] + 1, cell[1] + 1] = True
        self._adopt(place)

    def _light(self, board: Floats) -> Floats:
        """Exposure and white balance against the known board, from cells that were not covered."""
        assert self.known is not None
        open_cells = self.has & ~self.covered
        if np.count_nonzero(open_cells) < 4:
            return np.zeros(3, np.float32)
        apart = board - self.known
        by_cell = np.stack([self.grid.mean(apart[..., channel])[open_cells] for channel in range(3)], axis=1)
        return np.asarray(np.median(by_cell, axis=0), np.float32)

    def _gather(self, board: Floats, at: float, busy: Flags) -> None:
        assert self._look is not None
        self.quiet_since[busy] = at
        self._pictures[busy] = 0
        self._pictures += 1
        weight = np.asarray(self.grid.spread(1.0 / np.minimum(self._pictures, STEADY)), np.float32)[..., None]
        self._look += weight * (board - self._look)

    def _compare(self, at: float) -> None:
        assert self.known is not None
        assert self._look is not None
        self._adopt(self.settled & ~self.has)
        self._last_same[self.settled & (self._last_same == 0)] = at
        apart = difference(self.grid, self._look, self.known)
        open_cells = self.settled & self.has
        noise = float(np.median(apart[open_cells])) if open_cells.any() else 0.0
        limit = np.maximum(np.maximum(LEAST_CHANGE, NOISE_FACTOR * noise), NOISE_FACTOR * self._usual)
        same = open_cells & ((apart < limit) | self._relit())
        lit = open_cells & ~same & (self._visited < self._last_same)
        open_cells &= ~lit
        self._adopt(lit & ((at - self.quiet_since > LIGHT_S) | (self._seen_same < SURE)))
        self._usual[same] += RENEWAL * (apart[same] - self._usual[same])
        self._last_same[same] = self._last_look[same] = at
        self._seen_same[same] += 1
        self._renew(same)
        self._list(at, open_cells & ~same, same, apart)

    def _list(self, at: float, other: Flags, same: Flags, apart: Grids) -> None:
        """Changes that are new, that changed once more, or that came to nothing."""
        assert self._look is not None
        assert self._pending is not None
        for cell in [cell for cell in self.changes if same[cell[0] + 1, cell[1] + 1]]:
            del self.changes[cell]
        if not other.any():
            return
        anew = difference(self.grid, self._look, self._pending) > np.maximum(LEAST_CHANGE, apart / 2)
        for cell in self.grid.cells(other):
            place = (cell[0] + 1, cell[1] + 1)
            if cell not in self.changes or anew[place]:
                self._change(cell, float(apart[place]))
                self.grid.blocks(self._pending)[place[0], :, place[1]] = self.grid.blocks(self._look)[
                    place[0], :, place[1]
                ]
            self._last_look[place] = at

    def _relit(self) -> Flags:
        """Cells with a pattern that is still there, in another light."""
        assert self.known is not None
        assert self._look is not None
        before, now = (patterns(self.grid, one) for one in (self.known, self._look))
        power, power_now = (before**2).mean(axis=2), (now**2).mean(axis=2)
        alike = (before * now).mean(axis=2) / np.sqrt(np.maximum(power * power_now, 1e-8))
        even = np.abs(np.log(np.maximum(power_now, 1e-8) / np.maximum(power, 1e-8))) < 2 * EVEN
        return np.asarray((alike > ALIKE) & even)

    def _change(self, cell: Cell, change: float) -> None:
        assert self.known is not None
        assert self._look is not None
        before, now = self.grid.patch(self.known, cell), self.grid.patch(self._look, cell)
        place = (cell[0] + 1, cell[1] + 1)
        self.changes[cell] = Change(
            cell,
            float(self._last_look[place]),
            float(self.quiet_since[place]),
            change,
            structure(before),
            structure(now),
            _kept(before, now),
            *_changed(before, now),
        )

    def _adopt(self, where: Flags) -> None:
        assert self.known is not None
        assert self._look is not None
        full = np.asarray(self.grid.spread(where), np.bool_)
        self.known[full] = self._look[full]
        self.has |= where
        self._usual[where] = 0.0
        self._seen_same[where] = 0

    def _renew(self, where: Flags) -> None:
        """Daylight wanders; so does the known look, slowly."""
        assert self.known is not None
        assert self._look is not None
        weight = np.asarray(self.grid.spread(where.astype(np.float32) * RENEWED), np.float32)[..., None]
        self.known += weight * (self._look - self.known)


def difference(grid: Grid, one: Floats, other: Floats) -> Grids:
    """How different cells look, their own light divided out; a pixel may match any within one pixel of it."""
    light = np.median(_flat(grid, gray(one - other))[:, :, ::3], axis=2)
    one = one - np.asarray(grid.spread(light.astype(np.float32)), np.float32)[..., None]
    near = np.ones((3, 3), np.uint8)
    outside = np.maximum(np.maximum(cv2.erode(other, near) - one, one - cv2.dilate(other, near)), 0)
    apart = 0.3 * np.abs(one - other) + 0.7 * outside
    return np.asarray(np.sqrt(grid.mean(gray(np.minimum(apart, STRONGEST) ** 2))), np.float32)


def _flat(grid: Grid, values: Floats) -> Floats:
    """All inner values of each cell in a row."""
    inner = np.swapaxes(grid.inner(values), 1, 2)
    return inner.reshape(*grid.shape, -1)


def patterns(grid: Grid, board: Floats) -> Floats:
    """The inner values of each cell, gray, about their mean: rows x columns x pixels."""
    inner = _flat(grid, np.asarray(cv2.GaussianBlur(gray(board), (0, 0), 0.8), np.float32))
    return np.asarray(inner - inner.mean(axis=2, keepdims=True), np.float32)


def levels(patch: Floats) -> Floats:
    """A cell's pattern beyond a slope of light: gray, about nought."""
    smooth = cv2.GaussianBlur(gray(np.ascontiguousarray(patch)), (0, 0), 0.8)
    rows, columns = np.mgrid[-1 : 1 : smooth.shape[0] * 1j, -1 : 1 : smooth.shape[1] * 1j]
    level = smooth - smooth.mean()
    for slope in (rows, columns):
        level = level - slope * float((level * slope).sum() / (slope**2).sum())
    return np.asarray(level, np.float32)


def structure(patch: Floats) -> float:
    """How uneven a cell is beyond a slope of light: 0 for a plain one."""
    return float(np.sqrt((levels(patch) ** 2).mean()))


def _kept(before: Floats, now: Floats) -> float:
    """How much alike the patterns of two looks of a cell are, from 0 to 1."""
    one, other = levels(before), levels(now)
    alike = float((one * other).sum() / np.sqrt(max(1e-8, float((one**2).sum() * (other**2).sum()))))
    return max(0.0, alike)


def _changed(before: Floats, now: Floats) -> tuple[float, Tone, Tone]:
    """How uneven it is now, and the mean logarithms of light before and now, each pixel weighed by how much it changed:
    the piece, not its cell.
    """
    weight = np.minimum((now - before) ** 2, STRONGEST).sum(axis=2, keepdims=True) + 1e-6
    weight /= weight.sum()
    (b, g, r), (blue, green, red) = ((weight * one).sum(axis=(0, 1)) for one in (before, now))
    level = gray(np.ascontiguousarray(now))[..., None] - (blue + green + red) / 3
    uneven = float(np.sqrt((weight * level**2).sum()))
    return uneven, (float(b), float(g), float(r)), (float(blue), float(green), float(red))
