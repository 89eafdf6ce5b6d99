"""`referee look` on folders as people have them, through the command line as it is started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from device.cli import main
from device.cli.start import QUIET
from tests.commands import app
from tests.vision.faces import tile


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def photographed(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / name), tile((Path(name).parent.name or "A")[0]))
    return folder


def test_look_skips_what_is_no_picture_and_says_so(tmp_path: Path) -> None:
    photographed(tmp_path, "X.png", ".hidden.png")
    (tmp_path / "Y.png").write_bytes(b"broken")
    (tmp_path / "notes.txt").write_text("taken on Sunday")
    told = run("look", str(tmp_path), "--json")
    assert [json.loads(line)["image"] for line in told.stdout.splitlines()] == ["X.png"]
    assert "2 files of" in told.stderr
    assert "Y.png (broken)" in told.stderr


@pytest.mark.parametrize(("words", "wanted"), [(["--version"], "SILENT"), (["run", "--help"], None)])
def test_opencv_keeps_silent_but_in_the_log_of_a_service(
    monkeypatch: pytest.MonkeyPatch, words: list[str], wanted: str | None
) -> None:
    for name in QUIET:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "argv", ["referee", *words])
    with pytest.raises(SystemExit):
        main()
    assert os.environ.get("OPENCV_LOG_LEVEL") == wanted
