"""`referee calibrate --lens`: the lens is measured with pictures that the table's own camera takes, or not at all."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.commands import app
from tests.vision.registration.test_lens import Held, view
from vision.cameras import CameraSpec
from vision.registration.lens import LensUnfit, load_lens

TABLE = """
state_dir = "{state}"
[camera]
{camera}
[shared]
input = {{ kind = "buttons", back = 17, next = 27, choose = 22 }}
display = {{ bus = {{ kind = "i2c", port = 1 }} }}
"""


def table(folder: Path, camera: str = 'source = "picamera2"') -> str:
    path = folder / "table.toml"
    path.write_text(TABLE.format(state=folder, camera=camera), encoding="utf-8")
    return str(path)


@pytest.mark.thorough
def test_pictures_are_taken_by_the_tables_camera_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_away: list[Path]
) -> None:
    opened: list[CameraSpec] = []

    def open_camera(spec: CameraSpec) -> Held:
        opened.append(spec)
        return Held([image for number in range(20) for image in [view(number)] * 2])

    monkeypatch.setattr("vision.cameras.open_camera", open_camera)
    command = ["calibrate", "--lens", str(tmp_path / "board"), "--take", "5", "--table", table(tmp_path)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert [spec.source for spec in opened] == ["picamera2"]
    assert "5 of 5" in result.output
    assert len(list((tmp_path / "board").glob("*.png"))) == 5
    assert load_lens(tmp_path / "lens.json").size == (1280, 720)
    assert given_away == [tmp_path / "lens.json"]


@pytest.mark.thorough
def test_pictures_of_another_shape_than_the_cameras_are_refused(tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    for name in (".DS_Store", "notes.txt"):
        (tmp_path / "board" / name).write_text("no picture")
    for number in range(5):
        tall = np.zeros((960, 1280), np.uint8)
        tall[120:840] = view(number)
        cv2.imwrite(str(tmp_path / "board" / f"{number}.png"), tall)
    sized = table(tmp_path, 'source = "picamera2"\nsize = [1280, 720]')
    result = CliRunner().invoke(app, ["calibrate", "--lens", str(tmp_path / "board"), "--table", sized])
    assert isinstance(result.exception, LensUnfit)
    assert "1 file of" in result.stderr
    assert "notes.txt" in result.stderr
    assert "of 1280 x 960, and these are of another shape, 1280 x 720" in str(result.exception)
    assert not (tmp_path / "lens.json").exists()
    unsized = table(tmp_path, 'source = "v4l2"')
    result = CliRunner().invoke(app, ["calibrate", "--lens", str(tmp_path / "board"), "--table", unsized])
    assert isinstance(result.exception, LensUnfit), "a USB camera's are 16:9"
    unsized = table(tmp_path)
    result = CliRunner().invoke(app, ["calibrate", "--lens", str(tmp_path / "board"), "--table", unsized])
    assert result.exit_code == 0, "a Pi camera's are as its sensor is"


@pytest.mark.parametrize(("camera", "said"), [('source = "none"', "no camera"), ('source = "v4l2"', "name the folder")])
def test_what_is_missing_is_said(tmp_path: Path, camera: str, said: str) -> None:
    folder = ["--lens", str(tmp_path / "board")] if "none" in camera else []
    result = CliRunner().invoke(app, ["calibrate", *folder, "--take", "5", "--table", table(tmp_path, camera)])
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())
