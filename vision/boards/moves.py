"""The yardstick for boards of cells: a recorded game, played by hand, against the list of its moves.

No markers, no rules: four corners, rows and columns. The shipped gate says when the board rests, `cells` what was
touched.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np

from vision.boards.cells import CELL_PX, Cell, CellWatch, Floats, light_free, moved
from vision.camera import CameraLost, Frame, Image
from vision.cameras import CameraSpec
from vision.cameras.opencv import OpenCVCamera
from vision.cameras.small import small_gray
from vision.following.gate import REST_S, Gate

PACE_S = 0.1
"""Pictures are averaged over this time before the gate sees them: codecs flicker from key frame to key frame."""


class Moves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A recorded game: the board's corners in the picture clockwise from its top left, and what was moved, in order."""

    corners: tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
    rows: int
    columns: int
    moves: tuple[tuple[Cell, Cell], ...]


class FoundMove(msgspec.Struct, frozen=True):
    """A move that was seen: when (seconds of the video), and how long after the last motion."""

    source: Cell
    target: Cell
    at: float
    delay: float


class Score(msgspec.Struct, frozen=True):
    """found, missed and spurious count moves; order_right: those found came in the right order.

    median_delay_s: from the last motion to the move being told; None if none was found.
    """

    found: int
    missed: int
    spurious: int
    order_right: bool
    median_delay_s: float | None
    seen: tuple[FoundMove, ...]


class BoardWatch:
    """Feed it every frame of a video; it yields moves."""

    def __init__(self, moves: Moves, width: int, height: int) -> None:
        self._corners = np.array(moves.corners, np.float32)
        self._watch = CellWatch(moves.rows, moves.columns)
        self._size = ((moves.columns + 2) * CELL_PX, (moves.rows + 2) * CELL_PX)
        inner = np.array([[1, 1], [moves.columns + 1, 1], [moves.columns + 1, moves.rows + 1], [1, moves.rows + 1]])
        self._warp = cv2.getPerspectiveTransform(self._corners, (inner * CELL_PX - 0.5).astype(np.float32))
        self._gate = Gate()
        self._frame_size = (width, height)
        self._told = False

    def feed(self, frame: Frame) -> FoundMove | None:
        """The move that this frame completes, if any."""
        if self._gate.mask is None:
            self._gate.mask = self._mask(frame.small)
        self._gate.feed(frame.small, frame.at)
        if self._gate.moving:
            self._told = False
            return None
        if self._told or self._gate.quiet_s < REST_S - 1e-3:
            return None
        self._told = True
        return self._rest(frame)

    def _rest(self, frame: Frame) -> FoundMove | None:
        board = self._board(frame.image)
        if self._watch.reference is None:
            self._watch.adopt(board)
            return None
        changes = self._watch.compare(board)
        move = moved(changes)
        if move is None:
            self._watch.adopt_cells(board, ~(changes.touched | changes.covered))
            return None
        self._watch.adopt_cells(board, ~changes.covered)
        return FoundMove(*move, round(frame.at, 3), round(self._gate.quiet_s, 3))

    def _board(self, image: Image) -> Floats:
        flat = cv2.warpPerspective(image, self._warp, self._size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        return light_free(np.asarray(flat, np.uint8))

    def _mask(self, small: Image) -> Image:
        """The board and half a cell around, in the small picture."""
        middle = self._corners.mean(axis=0)
        wide = middle + (self._corners - middle) * 1.08
        scale = np.array([small.shape[1] / self._frame_size[0], small.shape[0] / self._frame_size[1]])
        mask = np.zeros(small.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(wide * scale).astype(np.int32)], 1)
        return mask


def watch_video(video: Path, moves: Moves) -> Iterator[FoundMove]:
    """The moves seen in a video, in order. Raises CameraLost if it cannot be read."""
    board: BoardWatch | None = None
    for frame in paced(video):
        if board is None:
            board = BoardWatch(moves, frame.image.shape[1], frame.image.shape[0])
        found = board.feed(frame)
        if found is not None:
            yield found


def paced(video: Path, pace_s: float = PACE_S) -> Iterator[Frame]:
    """The frames of a video, those within `pace_s` averaged into one with the last one's stamp."""
    camera = OpenCVCamera(CameraSpec("opencv", str(video)))
    camera.open()
    gathered: list[Frame] = []
    try:
        while (frame := camera.read(1.0)) is not None:
            if gathered and frame.at - gathered[0].at >= pace_s - 1e-6:
                yield _mean(gathered)
                gathered = []
            gathered.append(frame)
        if gathered:
            yield _mean(gathered)
    finally:
        camera.close()


def _mean(frames: Sequence[Frame]) -> Frame:
    if len(frames) == 1:
        return frames[0]
    total = np.zeros(frames[0].image.shape, np.float32)
    for frame in frames:
        cv2.accumulate(frame.image, total)
    image = np.asarray(np.rint(total / len(frames)), np.uint8)
    return Frame(frames[-1].serial, frames[-1].at, image, small_gray(image))


def evaluate_moves(video: Path, moves: Moves) -> Score:
    """How well a recorded game is followed. Raises CameraLost if the video cannot be read."""
    if not video.is_file():
        raise CameraLost(f"no video file {video}")
    return score(tuple(watch_video(video, moves)), moves.moves)


def score(seen: Sequence[FoundMove], wanted: Sequence[tuple[Cell, Cell]]) -> Score:
    """Moves seen against moves made: as many as agree, whatever their order; then whether the order agrees too."""
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


def _place(move: tuple[Cell, Cell], wanted: Sequence[tuple[Cell, Cell]], taken: Sequence[int]) -> int:
    """Where in the list of moves made this one is: its first occurrence that is still free."""
    return next(number for number, one in enumerate(wanted) if one == move and number not in taken)


def load_moves(path: Path) -> Moves:
    """MOVES.json. Raises OSError, msgspec.DecodeError and msgspec.ValidationError."""
    return msgspec.json.decode(path.read_bytes(), type=Moves)
