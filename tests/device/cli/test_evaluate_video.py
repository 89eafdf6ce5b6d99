"""`referee evaluate --video`: a recorded board against the list of its moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.cli.app import app
from tests.vision.films import save
from tests.vision.played import Play
from vision.files import BadFile

SEED = 8


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("recorded")
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


def test_a_video_without_moves_is_refused(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["evaluate", "--video", str(tmp_path / "game.mp4")]).exit_code == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [("[]", "Expected `object`"), ("{", "is not JSON"), (None, "is not there")],
)
def test_moves_that_cannot_be_read_are_named(tmp_path: Path, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / "moves.json").write_text(text)
    arguments = ["evaluate", "--video", str(tmp_path / "game.mp4"), "--moves", str(tmp_path / "moves.json")]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "400"})
    assert isinstance(result.exception, BadFile)
    assert f"moves.json: {says}" in str(result.exception)


def test_corners_that_do_not_fit_the_video_are_named(recorded: Path) -> None:
    made = json.loads((recorded / "moves.json").read_text())
    made["corners"][2] = [900, 700]
    (recorded / "far.json").write_text(json.dumps(made))
    arguments = ["evaluate", "--video", str(recorded / "game.mp4"), "--moves", str(recorded / "far.json")]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "400"})
    assert result.exit_code == 2
    assert "outside the picture" in result.output
