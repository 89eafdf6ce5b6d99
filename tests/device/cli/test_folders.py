"""`referee evaluate` and `look` on folders as people have them, through the command line as it is started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from device.cli import main
from device.cli.app import app
from device.cli.evaluate import EvaluationError
from device.cli.start import QUIET
from tests.vision.faces import tile
from vision.recognition import index


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def photographed(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / name), tile((Path(name).parent.name or "A")[0]))
    return folder


def test_evaluate_skips_what_is_no_picture_and_says_so(tmp_path: Path) -> None:
    folder = photographed(tmp_path, "enrol/A/1.png", "enrol/B/1.png", "test/A/1.png", "test/B/1.png")
    (folder / "test" / "B" / "2.png").write_bytes(b"broken")
    for part in ("enrol", "test"):
        (folder / part / ".cache").mkdir()
    told = run("evaluate", str(folder), "--json")
    figures = json.loads(told.stdout)
    shares = {"top1", "coverage_at_zero_error", "auroc_unknown", "accepted", "wrong_accepted"}
    more = {"ece", "reliability", "threshold", "left_out", "checked"}
    assert set(figures) == shares | more | {"items", "ms_per_item", "skipped"}
    assert (figures["left_out"], figures["checked"]) == (None, None)
    assert (figures["items"], figures["skipped"], figures["top1"]) == (2, 1, 1.0)
    assert told.stderr == f"1 file of {folder} skipped: test/B/2.png (broken)\n"
    plain = run("evaluate", str(folder)).stdout
    assert "top1                      100.00%  of the known ones: best kind right\n" in plain


def test_evaluate_leaves_kinds_out_and_lays_a_check_round(tmp_path: Path) -> None:
    folder = photographed(tmp_path / "set", "enrol/A/1.png", "enrol/B/1.png", "test/A/1.png", "test/B/1.png")
    again = photographed(tmp_path / "again", "A/1.png")
    cv2.imwrite(str(again / "A" / "2.png"), tile("A", "red"))
    told = run("evaluate", str(folder), "--leave-out", "--check", str(again), "--json")
    figures = json.loads(told.stdout)
    assert figures["left_out"]["items"] == 2
    assert (figures["checked"]["items"], figures["checked"]["learnt"]) == (1, 1)
    photographed(again, "X/1.png")
    with pytest.raises(EvaluationError, match=r"again/X: no pictures of X in .*set/enrol to learn from"):
        run("evaluate", str(folder), "--check", str(again))


@pytest.mark.parametrize(("given", "wanted"), [("any", "any"), ("4", 4), ("2", 2), ("1", 1)])
def test_the_turns_that_may_occur_reach_the_recogniser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, wanted: index.Symmetry
) -> None:
    asked: list[index.Symmetry] = []

    def turns(symmetry: index.Symmetry, _long: bool) -> tuple[float, ...]:
        asked.append(symmetry)
        return (0.0,)

    monkeypatch.setattr("vision.recognition.gallery.turns", turns)
    folder = photographed(tmp_path, "enrol/A/1.png", "enrol/B/1.png", "test/A/1.png")
    run("evaluate", str(folder), "--symmetry", given)
    assert asked == [wanted]


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
