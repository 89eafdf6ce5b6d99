"""`referee evaluate --video`: a recorded board against the list of its moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.cli import app
from tests.vision.boards import save
from tests.vision.played import Play

SEED = 8


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    play = Play(SEED, moves=2, size=(480, 360))
    save(play.film(), tmp_path / "game.mp4", play.scene.fps)
    made = {"corners": play.corners, "rows": play.scene.rows, "columns": play.scene.columns, "moves": play.made}
    (tmp_path / "moves.json").write_text(json.dumps(made))
    return tmp_path


def test_a_recorded_game_is_followed_and_counted(recorded: Path) -> None:
    arguments = ["evaluate", "--video", str(recorded / "game.mp4"), "--moves", str(recorded / "moves.json"), "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.output)
    assert (figures["found"], figures["missed"], figures["spurious"], figures["order_right"]) == (2, 0, 0, True)
    assert figures["median_delay_s"] < 1.5


def test_a_video_without_moves_is_refused(recorded: Path) -> None:
    assert CliRunner().invoke(app, ["evaluate", "--video", str(recorded / "game.mp4")]).exit_code == 2
    (recorded / "moves.json").write_text("[]")
    arguments = ["evaluate", "--video", str(recorded / "game.mp4"), "--moves", str(recorded / "moves.json")]
    assert CliRunner().invoke(app, arguments).exit_code == 2
