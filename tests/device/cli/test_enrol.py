"""`referee enrol` before a camera: each kind is kept as it is taken, and what was enrolled before stays until then."""

from __future__ import annotations

from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from device.cli.app import app
from device.resources import root
from tests.vision.faces import tile
from tests.vision.scenes import Stone, View, World, load_mat
from vision.camera import CameraLost
from vision.recognition.enrolment import EnrolledSet, EnrolmentError, load, read_index, save

VIEW = View(width=960, height=540)


@pytest.fixture(scope="module")
def photograph() -> bytes:
    """A crown alone on the mat, as a picture file."""
    image = World(load_mat(), [Stone(210.0, 150.0, "crown")], view=VIEW).render()
    return cv2.imencode(".png", image)[1].tobytes()


class Evening:
    """A table whose camera shows the pictures of a folder, one a look."""

    def __init__(self, folder: Path, *pictures: bytes) -> None:
        (folder / "camera").mkdir()
        for number, data in enumerate(pictures):
            (folder / "camera" / f"{number}.png").write_bytes(data)
        self.table, self.state = folder / "table.toml", folder / "state"
        self.set = self.state / "enrolled" / "stones"
        camera = f'source = "file"\npath = "{folder / "camera"}"\n'
        text = (root() / "tables" / "one-oled.toml").read_text(encoding="utf-8")
        text = text.replace('source = "picamera2"', camera).replace("/var/lib/referee", str(self.state))
        self.table.write_text(text, encoding="utf-8")

    def enrol(self, *words: str, keys: str = "") -> Result:
        arguments = ["enrol", "stones", *words, "--shots", "1", "--table", str(self.table)]
        return CliRunner().invoke(app, arguments, input=keys)


def old(*kinds: str) -> EnrolledSet:
    return EnrolledSet("stones", "any", {kind: (tile("A"),) for kind in kinds})


def test_only_the_kinds_that_are_named_are_taken_again(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    save(old("crown", "sword"), evening.set)
    before = {each.kind: each.file for each in read_index(evening.set).references}
    told = evening.enrol("crown", keys="\n")
    assert told.exit_code == 0, told.output
    after = {each.kind: each.file for each in read_index(evening.set).references}
    assert list(after) == ["crown", "sword"]
    assert after["sword"] == before["sword"]
    assert after["crown"] != before["crown"]
    assert "2 kinds, 2 pictures" in told.output


def test_q_keeps_what_was_enrolled_before_and_says_what_is_left(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    save(old("crown", "sword", "scales"), evening.set)
    told = evening.enrol(keys="\nq\n")
    assert "Taken: 1 of 8. For the others: referee enrol stones shield sword flag knight hammer scales _back" in (
        told.output.replace("\n", " ")
    )
    assert list(load(evening.set).pictures) == ["crown", "sword", "scales"]


def test_a_camera_that_is_lost_takes_nothing_with_it(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph, b"broken")
    told = evening.enrol("crown", "sword", keys="\n\n")
    assert isinstance(told.exception, CameraLost)
    assert "For the others: referee enrol stones sword\n" in told.output
    assert list(load(evening.set).pictures) == ["crown"]


def test_a_folder_that_cannot_be_written_is_told_before_the_first_picture(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    evening.state.touch()
    told = evening.enrol(keys="\n")
    assert isinstance(told.exception, EnrolmentError)
    assert "cannot be written" in str(told.exception)
    assert "Lay" not in told.output


def test_whoever_ends_before_the_first_picture_has_enrolled_nothing(tmp_path: Path, photograph: bytes) -> None:
    told = Evening(tmp_path, photograph).enrol(keys="q\n")
    assert told.exit_code == 0
    assert "stones: nothing is enrolled" in told.output


@pytest.mark.parametrize(("words", "told"), [(["crwon"], "crwon"), (["--mat", "runes"], "runes")])
def test_a_kind_or_a_mat_that_the_set_does_not_have_is_a_mistake_in_the_command(
    tmp_path: Path, words: list[str], told: str
) -> None:
    result = Evening(tmp_path).enrol(*words)
    assert result.exit_code == 2
    assert told in result.output


def test_single_kinds_are_taken_from_pictures_too(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path)
    save(old("crown", "sword"), evening.set)
    (tmp_path / "photos" / "sword").mkdir(parents=True)
    (tmp_path / "photos" / "sword" / "1.png").write_bytes(photograph)
    assert evening.enrol("sword", "--from", str(tmp_path / "photos")).exit_code == 0
    pictures = load(evening.set).pictures
    assert list(pictures) == ["crown", "sword"]
    assert pictures["sword"][0].shape[:2] == (VIEW.height, VIEW.width)
    missing = evening.enrol("crown", "--from", str(tmp_path / "photos"))
    assert "there are no pictures of crown" in str(missing.exception)
