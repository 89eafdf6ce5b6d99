"""`python -m tools.lab.boards`: a recorded board against the list of its moves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tools.lab.boards.films import save
from tests.tools.lab.boards.played import Play
from tools.lab.boards.__main__ import main

SEED = 8


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("recorded")
    play = Play(SEED, moves=2, size=(480, 360))
    save(play.film(), tmp_path / "game.mp4", play.scene.fps)
    made = {"corners": play.corners, "rows": play.scene.rows, "columns": play.scene.columns, "moves": play.made}
    (tmp_path / "moves.json").write_text(json.dumps(made))
    return tmp_path


@pytest.mark.thorough
def test_a_recorded_game_is_followed_and_counted(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(recorded / "game.mp4"), str(recorded / "moves.json"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["found"], figures["missed"], figures["spurious"], figures["order_right"]) == (2, 0, 0, True)
    assert figures["median_delay_s"] < 1.5


@pytest.mark.parametrize(
    ("text", "says"),
    [("[]", "Expected `object`"), ("{", "is not JSON"), (None, "is not there")],
)
def test_moves_that_cannot_be_read_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, says: str
) -> None:
    if text is not None:
        (tmp_path / "moves.json").write_text(text)
    assert main([str(tmp_path / "game.mp4"), str(tmp_path / "moves.json")]) == 2
    assert f"moves.json: {says}" in capsys.readouterr().err


def test_a_film_that_is_not_there_is_named(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(recorded / "none.mp4"), str(recorded / "moves.json")]) == 2
    assert "no video file" in capsys.readouterr().err


def test_corners_that_do_not_fit_the_video_are_named(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads((recorded / "moves.json").read_text())
    made["corners"][2] = [900, 700]
    (recorded / "far.json").write_text(json.dumps(made))
    assert main([str(recorded / "game.mp4"), str(recorded / "far.json")]) == 2
    told = capsys.readouterr().err
    assert "outside the picture" in told
    assert "far.json" in told
