"""A game on a board of cells, followed without markers and without rules."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.tools.lab.boards.films import save
from tests.tools.lab.boards.played import Play, judged
from tools.lab.boards.cells import Change
from tools.lab.boards.cover import Cover
from tools.lab.boards.grid import CELL_PX, Cell, Floats, Grid, Rectifier
from tools.lab.boards.moves import Moves, evaluate_moves, lasting, lines, load_moves, score, watch_video
from tools.lab.boards.pairing import Span, pairs
from tools.lab.boards.watch import FoundMove
from vision.camera import CameraLost
from vision.files import BadFile

SMALL = (480, 360)
SQUARE = ((10.0, 10.0), (200.0, 10.0), (200.0, 200.0), (10.0, 200.0))
GREY = (4.0, 4.0, 4.0)


def change(
    cell: tuple[int, int],
    window: tuple[float, float],
    before: float,
    now: float,
    size: float = 0.4,
    *,
    kept: float = 0.0,
    remains: float | None = None,
) -> Change:
    """A changed cell; a pale piece leaves or comes."""
    return Change(cell, *window, size, before, now, kept, now if remains is None else remains, GREY, GREY)


def found(*changes: Change, away: tuple[Span, ...] = ()) -> list[tuple[Cell, Cell]]:
    return [(move.source.cell, move.target.cell) for move in pairs(changes, 0.03, away)]


def test_a_piece_goes_from_the_cell_that_emptied_to_the_one_that_filled() -> None:
    assert found(change((3, 4), (1, 2), 0.02, 0.4), change((6, 4), (0, 1), 0.4, 0.02)) == [((6, 4), (3, 4))]


def test_a_capture_goes_to_the_cell_that_looks_different_and_is_not_empty() -> None:
    assert found(change((2, 1), (1, 2), 0.8, 0.3, 0.5), change((0, 3), (0, 2), 0.4, 0.02)) == [((0, 3), (2, 1))]


def test_what_leans_over_the_next_cell_is_no_move() -> None:
    leaning = change((2, 3), (1, 2), 0.02, 0.1, 0.15)
    assert found(leaning, change((3, 3), (1, 2), 0.02, 0.5), change((6, 3), (0, 1), 0.5, 0.02)) == [((6, 3), (3, 3))]


def test_a_piece_that_takes_its_neighbour_came_from_the_next_cell() -> None:
    taken = change((6, 1), (1, 2), 0.23, 0.26, 0.44)
    assert found(taken, change((6, 0), (0.5, 2), 0.19, 0.04, 0.2)) == [((6, 0), (6, 1))]


def test_two_moves_without_a_rest_are_told_in_the_order_they_were_made() -> None:
    first = change((6, 4), (0, 1), 0.4, 0.02), change((4, 4), (1, 1.5), 0.02, 0.4)
    second = change((1, 4), (1.6, 3), 0.4, 0.02), change((3, 4), (1.2, 3), 0.02, 0.4)
    assert found(*second, *first) == [((6, 4), (4, 4)), ((1, 4), (3, 4))]


def test_a_cell_that_filled_before_another_emptied_is_no_target_of_it() -> None:
    assert found(change((3, 4), (1, 2), 0.02, 0.4), change((6, 4), (5, 6), 0.4, 0.02)) == []


def test_a_piece_that_was_taken_off_does_not_come_back_after_the_hand_was_away() -> None:
    gone, came = change((0, 2), (4, 5), 0.5, 0.02), change((3, 3), (10, 11), 0.02, 0.5)
    assert found(gone, came) == [((0, 2), (3, 3))], "a hand may hold it for so long"
    assert found(gone, came, away=((6.0, 9.0),)) == []
    assert found(gone, came, change((1, 5), (9.2, 10), 0.5, 0.02), away=((6.0, 9.0),)) == [((1, 5), (3, 3))]


def test_a_flicker_of_rest_while_a_hand_holds_a_piece_does_not_lose_it() -> None:
    held, came = change((0, 2), (1, 2), 0.5, 0.02), change((3, 3), (4, 5), 0.02, 0.5)
    assert found(held, came, away=((2.5, 2.8),)) == [((0, 2), (3, 3))]


def test_a_pale_piece_on_a_pale_board_takes_a_dark_one_far_away() -> None:
    taken = change((0, 5), (1, 2), 0.47, 0.12, 0.56, remains=0.2)
    assert found(taken, change((2, 5), (0.5, 2), 0.14, 0.02, 0.25)) == [((2, 5), (0, 5))]


def test_a_pale_piece_takes_its_dark_neighbour_on_a_pale_board() -> None:
    taken = change((7, 1), (1, 2), 0.51, 0.19, 0.57, remains=0.22)
    assert found(taken, change((7, 0), (0.5, 2), 0.16, 0.02, 0.27)) == [((7, 0), (7, 1))]


def test_a_neighbour_that_leans_into_the_cell_that_was_left_is_no_piece_left_behind() -> None:
    left = change((1, 5), (0, 1), 0.58, 0.15, 0.52, remains=0.06)
    assert pairs([left, change((3, 3), (1, 2), 0.02, 0.6)], 0.02)[0].cost < 0.5


def test_what_stood_there_and_still_does_was_not_taken() -> None:
    still = change((3, 7), (1, 2), 0.32, 0.18, 0.16, kept=0.8)
    left, came = change((4, 7), (1, 2), 0.2, 0.04, 0.19), change((0, 3), (1.3, 2.4), 0.02, 0.4)
    assert found(still, left, came) == [((4, 7), (0, 3))]


def board_of_cells(*dark: tuple[int, int]) -> Floats:
    """A flat board of 8 x 8 checked cells with a plain border, in logarithms of light, and discs on some of them."""
    cells = np.indices((10, 10)).sum(axis=0) % 2 * 0.6 + 4.0
    cells[0] = cells[-1] = cells[:, 0] = cells[:, -1] = 4.3
    board = np.repeat(np.repeat(cells, CELL_PX, axis=0), CELL_PX, axis=1).astype(np.float32)
    for row, column in dark:
        cv2.circle(board, ((column + 1) * CELL_PX + 12, (row + 1) * CELL_PX + 12), 9, 2.7, -1)
    return np.repeat(board[..., None], 3, axis=2)


def test_pieces_that_changed_beside_the_edge_are_no_hand() -> None:
    grid = Grid(8, 8)
    cover, all_of_it = Cover(grid, np.ones((240, 240), np.bool_)), np.ones((240, 240), np.bool_)
    known = board_of_cells((7, 1), (7, 2), (6, 2))
    covered, _, reached = cover(board_of_cells(), known, all_of_it)
    assert not covered.any()
    assert not reached
    reaching = known.copy()
    reaching[150:, 30:70] = 4.6
    covered, _, reached = cover(reaching, known, all_of_it)
    assert covered[6:9, 2].all()
    assert reached


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [8])
def test_every_move_is_found_in_order_and_no_other(tmp_path: Path, seed: int) -> None:
    _, result = judged(seed, tmp_path, moves=2, size=SMALL)
    assert (result.found, result.missed, result.spurious, result.order_right) == (2, 0, 0, True)
    assert result.median_delay_s is not None
    assert result.median_delay_s < 1.5


@pytest.mark.soak
def test_most_moves_of_many_harsh_films_are_found(tmp_path: Path) -> None:
    results = [judged(seed, tmp_path)[1] for seed in range(500, 512)]
    assert sum(one.found for one in results) >= 0.85 * 7 * len(results)
    assert sum(one.spurious for one in results) <= 0.1 * 7 * len(results)


@pytest.mark.thorough
def test_a_hand_that_rests_over_the_board_and_goes_is_no_move(tmp_path: Path) -> None:
    play = Play(3, size=SMALL)
    frames = [*play.rest(0.8), *play.visit(0), *play.rest(0.8)]
    save(iter(frames), tmp_path / "still.mp4", play.scene.fps)
    told = Moves(play.corners, play.scene.rows, play.scene.columns, ())
    assert evaluate_moves(tmp_path / "still.mp4", told).seen == ()


def test_score_counts_and_orders() -> None:
    a, b, c = ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (2, 1))
    seen = [FoundMove(*move, 0.0, 0.5) for move in (b, a, c, c)]
    result = score(seen, [a, b, c, ((3, 3), (3, 4))])
    assert (result.found, result.missed, result.spurious, result.order_right) == (3, 1, 1, False)


def test_a_move_told_the_wrong_way_round_is_spurious() -> None:
    result = score([FoundMove((0, 1), (0, 0), 0.0, 0.5)], [((0, 0), (0, 1))])
    assert (result.found, result.missed, result.spurious) == (0, 1, 1)


def test_a_person_reads_a_table_of_moves() -> None:
    seen = [FoundMove((6, 4), (14, 4), 9.4666666, 0.4333333), FoundMove((0, 0), (2, 3), 12.0, 0.5)]
    told = lines(score(seen, [((6, 4), (14, 4))]))
    assert [line.split() for line in told[:5]] == [
        ["found", "1"], ["missed", "0"], ["spurious", "1"], ["order_right", "yes"], ["median_delay_s", "0.47"],
    ]  # fmt: skip
    assert told[-2:] == ["   1    [6, 4]   [14, 4]      9.47      0.43", "   2    [0, 0]    [2, 3]     12.00      0.50"]
    assert lines(score([], []))[4:] == ["median_delay_s  -", "seen            0"]


def test_what_is_put_back_at_once_is_no_move() -> None:
    there, elsewhere = FoundMove((7, 4), (6, 4), 9.5, 0.4), FoundMove((1, 1), (3, 3), 5.0, 0.4)
    back, later = FoundMove((6, 4), (7, 4), 11.2, 0.4), FoundMove((6, 4), (7, 4), 15.0, 0.4)
    assert lasting([elsewhere, there, back]) == (elsewhere,)
    assert lasting([there, later]) == (there, later), "a move back in another turn is one"
    between = FoundMove((1, 1), (3, 3), 10.5, 0.4)
    assert lasting([there, between, back]) == (there, between, back), "the other player moved meanwhile"


def test_a_missing_video_is_named(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match=r"none\.mp4"):
        evaluate_moves(tmp_path / "none.mp4", Moves(SQUARE, 8, 8, ()))


def test_a_video_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("no pictures here")
    with pytest.raises(CameraLost, match=r"text\.mp4"):
        list(watch_video(tmp_path / "text.mp4", Moves(SQUARE, 8, 8, ())))


def test_corners_outside_the_picture_are_named(tmp_path: Path) -> None:
    save(iter([np.zeros((120, 160, 3), np.uint8)] * 3), tmp_path / "small.mp4", 10)
    with pytest.raises(ValueError, match=r"corner \[200, 10\] lies outside the picture, which is 160 x 120"):
        evaluate_moves(tmp_path / "small.mp4", Moves(SQUARE, 8, 8, ()))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"moves": [[[0, 0], [8, 0]]]}, r"moves\[0\] names cell \[8, 0\]"),
        ({"moves": [[[1, 1], [1, 1]]]}, r"moves\[0\] goes from a cell to the same"),
        ({"rows": 0}, "rows is 0"),
        ({"corners": [[0, 0], [9, 9], [9, 0], [0, 9]]}, "corners are no board"),
        ({"columns": "8"}, r"columns: Expected `int`"),
        ({"players": 2}, "players"),
    ],
)
def test_a_wrong_list_of_moves_says_what_is_wrong(tmp_path: Path, wrong: dict[str, object], says: str) -> None:
    right: dict[str, object] = {"corners": SQUARE, "rows": 8, "columns": 8, "moves": [[[6, 4], [4, 4]]]}
    path = tmp_path / "moves.json"
    path.write_text(json.dumps(right))
    assert load_moves(path).moves == (((6, 4), (4, 4)),)
    path.write_text(json.dumps(right | wrong))
    with pytest.raises(BadFile, match=says):
        load_moves(path)


def test_the_flat_board_has_each_cell_in_its_place() -> None:
    image = np.zeros((220, 220, 3), np.uint8)
    image[105:200, 10:105] = 255
    grid = Grid(2, 2)
    flat = Rectifier(grid, SQUARE, 220, 220)(image)
    means = grid.mean(flat[:, :, 0].astype(np.float32))[1:-1, 1:-1]
    assert means.round().tolist() == [[0, 0], [255, 0]]
