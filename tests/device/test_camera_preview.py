"""The camera's picture for its owner knows every mat of a game, and says when the camera is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from device import games
from device.camera_preview import CameraPreview
from device.session.check import GONE
from device.settings.table import TableSettings, V4l2
from engine.table import Health
from vision.messages import Report, VisionSetup


def preview(tmp_path: Path, game: str) -> CameraPreview:
    return CameraPreview(TableSettings(camera=V4l2()), [games.spec(game)], tmp_path)


@pytest.mark.parametrize("game", sorted(games.specs()))
def test_it_turns_to_whichever_mat_of_the_game_lies_there(
    tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sees = preview(tmp_path, game)
    sent: list[object] = []
    monkeypatch.setattr(sees.worker, "send", sent.append)
    for mat in {table.mat for table in games.spec(game).tables if table.mat}:
        sees.on_report(Report(1, 0.0, False, Health.NO_MAT, None, 1.0, mat))
        sees.worker_started()
        looked = [each.mat for each in sent if isinstance(each, VisionSetup)]
        assert looked[-1] == mat


def test_before_the_first_picture_it_says_that_the_camera_is_gone(tmp_path: Path) -> None:
    sees = preview(tmp_path, "tellstones")
    assert sees.picture() is None
    sees.silent(GONE)
    assert sees.picture() is not None
    assert sees.picture().hints == (GONE,)
