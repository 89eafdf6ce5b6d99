"""A game on a board of cells, followed without markers and without rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vision.boards import CORNERS, Film
from vision.boards.moves import FoundMove, Moves, evaluate_moves, score
from vision.camera import CameraLost

START = {(row, column): int(row > 4) for row in (0, 1, 6, 7) for column in range(8)}
GAME = (
    ((6, 4), (4, 4)),
    ((1, 4), (3, 4)),
    ((7, 6), (5, 5)),
    ((0, 1), (2, 2)),
    ((5, 5), (3, 4)),  # takes
    ((2, 2), (3, 4)),  # takes back
    ((6, 0), (5, 0)),
)


def film(**light: float) -> Film:
    one = Film(pieces=dict(START), **light)  # type: ignore[arg-type]  # only the floats are given
    one.rest(1.5)
    for number, (source, target) in enumerate(GAME):
        away = 1.0 if number % 2 == 0 else -1.0
        if number in (2, 5):
            one.reach(target, away)
            one.rest(0.7)
        one.play(source, target, away)
        one.rest(0.9)
    return one


@pytest.mark.parametrize(
    "light",
    [
        pytest.param({}, id="plain"),
        pytest.param({"lean": 0.06, "shadow": 0.5}, id="leaning pieces, hard shadow", marks=pytest.mark.soak),
        pytest.param({"noise": 8.0, "flicker": 0.1}, id="noise and flicker"),
    ],
)
def test_every_move_is_found_in_order_and_no_other(tmp_path: Path, light: dict[str, float]) -> None:
    video = tmp_path / "game.mp4"
    film(**light).save(video)
    result = evaluate_moves(video, Moves(CORNERS, 8, 8, GAME))
    assert (result.found, result.missed, result.spurious, result.order_right) == (7, 0, 0, True)
    assert result.median_delay_s is not None
    assert result.median_delay_s < 0.8


def test_a_board_that_nobody_touches_has_no_moves(tmp_path: Path) -> None:
    still = Film(pieces=dict(START))
    still.rest(1.0)
    still.reach((4, 4))
    still.rest(1.0)
    still.save(tmp_path / "still.mp4")
    result = evaluate_moves(tmp_path / "still.mp4", Moves(CORNERS, 8, 8, ()))
    assert result.seen == ()


def test_score_counts_and_orders() -> None:
    a, b, c = ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (2, 1))
    seen = [FoundMove(*move, 0.0, 0.5) for move in (b, a, c, c)]
    result = score(seen, [a, b, c, ((3, 3), (3, 4))])
    assert (result.found, result.missed, result.spurious, result.order_right) == (3, 1, 1, False)


def test_a_missing_video_is_named(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match=r"none\.mp4"):
        evaluate_moves(tmp_path / "none.mp4", Moves(CORNERS, 8, 8, GAME))
