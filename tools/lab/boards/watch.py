"""Watches a board of cells frame by frame, and reports the moves made on it."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np

from tools.lab.boards.cells import CellWatch, Change
from tools.lab.boards.grid import Cell, Flags, Grid, Rectifier, logs
from tools.lab.boards.pairing import LONGEST_S, SURE, Pair, Span, at_once, beside, pairs
from tools.lab.boards.steady import Steady
from vision.camera import Frame, Image
from vision.hands.gate import Gate

PACE_S = 0.1
"""Pictures are averaged over this time: codecs flicker from key frame to key frame."""

PATIENCE_S = 1.0
LONG_PATIENCE_S = 4.0
"""A hand that stays, or the next player's, is waited for no longer than this: aside of the two cells, or beside one."""

FORGET_S = 2.0
"""A change that fits no move is taken as it is once the board has rested for so long."""

BUSY_SHARE = 0.05
"""A board rests even if so many of its cells flicker."""


class Board(msgspec.Struct, frozen=True):
    """Where a board lies in the picture: corners clockwise from its top left, in pixels."""

    corners: tuple[tuple[float, float], ...]
    rows: int
    columns: int


class FoundMove(msgspec.Struct, frozen=True):
    """A move that was seen: when (seconds of the video), and how long after the hand had left both cells."""

    source: Cell
    target: Cell
    at: float
    delay: float


class BoardWatch:
    """Feed it every frame of a video; it yields moves."""

    def __init__(self, board: Board, width: int, height: int) -> None:
        self._grid = Grid(board.rows, board.columns)
        self._flat = Rectifier(self._grid, board.corners, width, height)
        self._gate = Gate()
        self._steady = Steady()
        self.watch = CellWatch(self._grid, self._flat.seen)
        self._gathered: list[Image] = []
        self._first_at = 0.0
        self._last_at = 0.0
        self._cells = board.rows * board.columns
        self._resting = False
        self._rests: list[Span] = []

    def feed(self, frame: Frame) -> list[FoundMove]:
        """The moves that this frame completes."""
        told: list[FoundMove] = []
        if self._gathered and frame.at - self._first_at >= PACE_S - 1e-6:
            told = self._sample(frame.at)
            self._gathered = []
        if not self._gathered:
            self._first_at = frame.at
        self._gathered.append(self._flat(frame.image))
        self._last_at = frame.at
        return told

    def end(self) -> list[FoundMove]:
        """The moves that were still waiting for a hand to leave when the film ended."""
        told = self._sample(self._last_at) if self._gathered else []
        return [*told, *self._moves(self._last_at, final=True)]

    def _sample(self, at: float) -> list[FoundMove]:
        mean = np.mean(self._gathered, axis=0, dtype=np.float32)
        board = self._steady(np.asarray(np.rint(mean), np.uint8))
        gray = np.asarray(cv2.cvtColor(board, cv2.COLOR_BGR2GRAY), np.uint8)
        self._gate.feed(gray, at)
        self.watch.feed(logs(board), self._first_at, at, self._moved())
        self._rest(at)
        told = self._moves(at)
        self._forget()
        self._relay(gray)
        return told

    def _moves(self, at: float, *, final: bool = False) -> list[FoundMove]:
        """Told in order, once the hand has left all that it went over, or will not."""
        found = pairs(self.watch.changes.values(), self.watch.bare(), self._rests)
        told = []
        for number, move in enumerate(found):
            if not final and not self._over(move, at):
                break
            later = {cell for one in found[number + 1 :] for cell in (one.source.cell, one.target.cell)}
            told.append(self._tell(move, later, at))
        return told

    def _over(self, move: Pair, at: float) -> bool:
        """Whether the hand has left, or what it still hides does not matter."""
        if self.watch.left(move.since, at):
            return True
        aside = self.watch.clear(move.target.cell) and (move.cost < SURE or self.watch.clear(move.source.cell))
        return at - move.by >= (PATIENCE_S if aside else LONG_PATIENCE_S)

    def _moved(self) -> Flags:
        """Cells in which the gate saw motion."""
        if self._gate.where is None:
            return np.zeros(self._grid.shape, np.bool_)
        return np.asarray(self._grid.blocks(np.asarray(self._gate.where)).any(axis=(1, 3)))

    def _tell(self, move: Pair, later: set[Cell], at: float) -> FoundMove:
        for change in list(self.watch.changes.values()):
            aside = change.cell not in later and (_goes_with(change, move.source) or _goes_with(change, move.target))
            if change in (move.source, move.target) or aside:
                self.watch.understand(change.cell)
        return FoundMove(move.source.cell, move.target.cell, round(at, 3), round(at - move.by, 3))

    def _rest(self, at: float) -> None:
        """Notes when the board lies at rest, with no hand over it."""
        busy = self.watch.reached or np.count_nonzero(~self.watch.settled[1:-1, 1:-1]) > BUSY_SHARE * self._cells
        if busy:
            self._resting = False
        elif self._resting:
            self._rests[-1] = (self._rests[-1][0], at)
        else:
            self._rests = [rest for rest in self._rests if at - rest[1] < 2 * LONGEST_S] + [(at, at)]
        self._resting = not busy

    def _forget(self) -> None:
        """Changes that fit no move: a piece put straight, one taken off, a lamp's new shadow."""
        for change in list(self.watch.changes.values()):
            if sum(end - max(start, change.by) for start, end in self._rests if end > change.by) > FORGET_S:
                self.watch.understand(change.cell)

    def _relay(self, gray: Image) -> None:
        """Lays the next pictures over this one if all of the board is seen in it."""
        if self._steady.empty or (self.watch.settled.all() and not self.watch.changes):
            self._steady.know(gray)


def _goes_with(one: Change, main: Change) -> bool:
    """Whether a change is a leaning piece or a shadow of the main one."""
    return beside(one.cell, main.cell) and one.change < main.change and at_once(one, main)
