"""Benchmark for boards of cells: a filmed game, played by hand, against the list of its moves."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np

from tools.lab.boards.grid import Cell
from tools.lab.boards.watch import Board, BoardWatch, FoundMove
from vision.camera import CameraLost
from vision.cameras import CameraSpec
from vision.cameras.opencv import OpenCVCamera
from vision.files import read_json

LARGEST = 32
"""More rows or columns than this are a mistake in the file."""

CUT_OFF = 0.02
"""A corner may lie outside the picture by this share of its size."""

TAKEN_BACK_S = 4.0
"""A move that is undone so soon by the next one was none."""

Corner = tuple[float, float]
Progress = Callable[[int, int], None]
"""Called with the frames read, and how many there are about (0: not known)."""


class Moves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A recorded game: the board's corners in the picture clockwise from its top left, and what was moved, in order."""

    corners: tuple[Corner, Corner, Corner, Corner]
    rows: int
    columns: int
    moves: tuple[tuple[Cell, Cell], ...]

    def __post_init__(self) -> None:
        for name, count in (("rows", self.rows), ("columns", self.columns)):
            if not 1 <= count <= LARGEST:
                raise ValueError(f"{name} is {count}; give 1 to {LARGEST}")
        if not _convex(self.corners):
            raise ValueError("corners are no board; give its four in turn, clockwise from the top left")
        for number, move in enumerate(self.moves):
            for row, column in move:
                if not (0 <= row < self.rows and 0 <= column < self.columns):
                    size = f"{self.rows} rows and {self.columns} columns"
                    raise ValueError(f"moves[{number}] names cell [{row}, {column}], but there are {size}, from 0")
            if move[0] == move[1]:
                raise ValueError(f"moves[{number}] goes from a cell to the same cell")


class Score(msgspec.Struct, frozen=True):
    """found, missed and spurious count moves; order_right: those found came in the right order.

    median_delay_s: from the hand's leaving both cells to the move being told; None if none was found.
    """

    found: int
    missed: int
    spurious: int
    order_right: bool
    median_delay_s: float | None
    seen: tuple[FoundMove, ...]


def watch_video(video: Path, moves: Moves, progress: Progress | None = None) -> Iterator[FoundMove]:
    """The moves seen in a video, in order.

    Raises CameraLost if the video cannot be read, ValueError if the board does not lie within its picture.
    """
    board: BoardWatch | None = None
    total = _length(video)
    camera = OpenCVCamera(CameraSpec("opencv", str(video)))
    camera.open()
    try:
        while (frame := camera.read(1.0)) is not None:
            if board is None:
                height, width = frame.image.shape[:2]
                _check_within(moves.corners, width, height)
                board = BoardWatch(Board(moves.corners, moves.rows, moves.columns), width, height)
            yield from board.feed(frame)
            if progress is not None:
                progress(frame.serial, total)
    finally:
        camera.close()
    if board is None:
        raise CameraLost(f"{video} holds no picture that OpenCV can read; convert it to MP4 with H.264")
    yield from board.end()


def evaluate_moves(video: Path, moves: Moves, progress: Progress | None = None) -> Score:
    """How well a recorded game is followed. Raises as `watch_video`."""
    if not video.is_file():
        raise CameraLost(f"no video file {video}")
    return score(lasting(watch_video(video, moves, progress)), moves.moves)


def lasting(seen: Iterable[FoundMove]) -> tuple[FoundMove, ...]:
    """The moves told without those that the next one took back at once: a piece put back is no move, nor is a hand that
    rested where it was taken for one and went again.
    """
    kept: list[FoundMove] = []
    for one in seen:
        last = kept[-1] if kept else None
        if last and (last.source, last.target) == (one.target, one.source) and one.at - last.at < TAKEN_BACK_S:
            kept.pop()
        else:
            kept.append(one)
    return tuple(kept)


def score(seen: Sequence[FoundMove], wanted: Sequence[tuple[Cell, Cell]]) -> Score:
    """Moves seen against moves made: as many as agree in both cells and their order, whenever they were told.

    Then whether the moves found were told in the order in which they were made. A move seen the wrong way round is
    spurious, and the one that was made is missed.
    """
    left = list(wanted)
    places: list[int] = []
    spurious = 0
    for one in seen:
        move = (one.source, one.target)
        if move in left:
            left.remove(move)
            places.append(_place(move, wanted, places))
        else:
            spurious += 1
    delays = [one.delay for one in seen]
    return Score(
        found=len(places),
        missed=len(left),
        spurious=spurious,
        order_right=places == sorted(places),
        median_delay_s=round(statistics.median(delays), 3) if delays else None,
        seen=tuple(seen),
    )


def lines(score: Score) -> list[str]:
    """The figures for people, then each move that was seen: its cells, and seconds."""
    delay = "-" if score.median_delay_s is None else f"{score.median_delay_s:.2f}"
    figures = {
        "found": score.found,
        "missed": score.missed,
        "spurious": score.spurious,
        "order_right": "yes" if score.order_right else "no",
        "median_delay_s": delay,
        "seen": len(score.seen),
    }
    told = [f"{name:16}{value}" for name, value in figures.items()]
    if score.seen:
        told.append(f"{'':4}{'from':>10}{'to':>10}{'at_s':>10}{'delay_s':>10}")
    for number, move in enumerate(score.seen, 1):
        told.append(f"{number:4}{_cell(move.source):>10}{_cell(move.target):>10}{move.at:10.2f}{move.delay:10.2f}")
    return told


def _cell(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"


def _place(move: tuple[Cell, Cell], wanted: Sequence[tuple[Cell, Cell]], taken: Sequence[int]) -> int:
    """Where in the list of moves made this one is: its first occurrence that is still free."""
    return next(number for number, one in enumerate(wanted) if one == move and number not in taken)


def _convex(corners: Sequence[Corner]) -> bool:
    """Whether an outline turns the same way at each corner; a mirrored picture turns left."""
    points = np.array(corners)
    ahead = np.roll(points, -1, axis=0) - points
    after = np.roll(ahead, -1, axis=0)
    turns = ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0]
    return bool((turns > 0).all() or (turns < 0).all())


def _check_within(corners: Sequence[Corner], width: int, height: int) -> None:
    beyond = CUT_OFF * max(width, height)
    for x, y in corners:
        if not (-beyond <= x <= width + beyond and -beyond <= y <= height + beyond):
            raise ValueError(f"corner [{x:g}, {y:g}] lies outside the picture, which is {width} x {height} pixels")


def _length(video: Path) -> int:
    """Pictures of a video as its header has it; 0 if it does not say."""
    capture = cv2.VideoCapture(str(video))
    count = capture.get(cv2.CAP_PROP_FRAME_COUNT) if capture.isOpened() else 0.0
    capture.release()
    return max(0, int(count))


def load_moves(path: Path) -> Moves:
    """MOVES.json. Raises BadFile."""
    return read_json(path, Moves, remedy="see docs/developers/boards.md")
