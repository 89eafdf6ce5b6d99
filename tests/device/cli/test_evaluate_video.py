"""`referee evaluate --video`: a recorded board against the list of its moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.cli import app
from tests.vision.boards import CORNERS, Film

MOVES = (((6, 4), (4, 4)), ((1, 4), (3, 4)))


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    film = Film(pieces={(row, column): int(row > 4) for row in (0, 1, 6, 7) for column in range(8)})
    film.rest(1.5)
    for move in MOVES:
        film.play(*move)
        film.rest(0.9)
    film.save(tmp_path / "game.mp4")
    corners = [[float(x), float(y)] for x, y in CORNERS]
    made = {"corners": corners, "rows": 8, "columns": 8, "moves": MOVES}
    (tmp_path / "moves.json").write_text(json.dumps(made))
    return tmp_path


def test_a_recorded_game_is_followed_and_counted(recorded: Path) -> None:
    arguments = ["evaluate", "--video", str(recorded / "game.mp4"), "--moves", str(recorded / "moves.json"), "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.output)
    assert (figures["found"], figures["missed"], figures["spurious"], figures["order_right"]) == (2, 0, 0, True)
    assert figures["median_delay_s"] < 0.8


def test_a_video_without_moves_is_refused(recorded: Path) -> None:
    assert CliRunner().invoke(app, ["evaluate", "--video", str(recorded / "game.mp4")]).exit_code == 2
    (recorded / "moves.json").write_text("[]")
    arguments = ["evaluate", "--video", str(recorded / "game.mp4"), "--moves", str(recorded / "moves.json")]
    assert CliRunner().invoke(app, arguments).exit_code == 2
