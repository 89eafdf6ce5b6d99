"""The process of a camera task: what it says, what it hears, and how it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import cv2
import msgspec
import pytest

from device.owner.camera_job import Job
from device.owner.camera_process_main import ChoiceReader, StepWriter, main, reasons, run
from device.owner.steps import TASK_FAILED, TaskChoice, TaskStep, decode_step, encode
from device.session.check import GONE, trouble
from engine.errors import Invalid
from engine.table import Health
from engine.text import Text, clean, say
from tests.vision.scenes import Stone, View, World, load_mat
from vision.camera import CameraLost
from vision.cameras import CameraSpec
from vision.files import BadFile, Fault
from vision.recognition.enrolment import load
from vision.recognition.index import read_index
from vision.recognition.piece_sizes import by_kind, read_measures


def job(folder: Path, pictures: int = 12) -> Job:
    """A crown of 45 mm before a camera that is a folder of pictures."""
    (folder / "camera").mkdir()
    world = World(load_mat(), [Stone(150.0, 150.0, "crown", diameter=45.0)], view=View(tilt=10.0))
    data = cv2.imencode(".png", world.render())[1].tobytes()
    for number in range(pictures):
        (folder / "camera" / f"{number:02}.png").write_bytes(data)
    spec = CameraSpec("opencv", str(folder / "camera"))
    return Job("stones", spec, str(folder / "stones"), kinds=("crown",), shots=1)


def heard_steps(descriptor: int) -> list[TaskStep]:
    data = b""
    while more := os.read(descriptor, 1 << 20):
        data += more
    return [decode_step(line + b"\n") for line in data.split(b"\n") if line]


@pytest.mark.thorough
def test_a_set_is_enrolled_over_the_pipes(tmp_path: Path) -> None:
    ours, theirs = os.pipe(), os.pipe()
    fcntl.fcntl(theirs[1], fcntl.F_SETPIPE_SZ, 1 << 20)  # nobody reads before it ends
    os.write(ours[1], encode(TaskChoice(0)))
    with pytest.raises(CameraLost):  # its folder of pictures ends while it asks whether to check
        run(job(tmp_path, pictures=3), ChoiceReader(ours[0]), StepWriter(theirs[1]))
    os.close(theirs[1])
    steps = heard_steps(theirs[0])
    assert str(steps[0].now) == "Lay this alone on the mat, face up: crown."
    assert any(str(step.now) == "Hold still. The camera is taking a picture." for step in steps)
    assert [str(text) for text in steps[-1].choices] == ["Check", "Skip this round"]
    folder = tmp_path / "stones"
    assert list(load(folder).pictures) == ["crown"]
    ((measured,),) = by_kind(read_index(folder), read_measures(folder)).values()
    assert measured.width_mm == pytest.approx(45.0, abs=1.8)


def test_it_ends_when_nobody_speaks_to_it_any_more(tmp_path: Path) -> None:
    ours, theirs = os.pipe(), os.pipe()
    os.close(ours[1])
    run(job(tmp_path), ChoiceReader(ours[0]), StepWriter(theirs[1]))
    os.close(theirs[1])
    assert len(heard_steps(theirs[0])) <= 2


def test_choices_come_whole_however_they_are_cut() -> None:
    ours = os.pipe()
    choices, line = ChoiceReader(ours[0]), encode(TaskChoice(1))
    os.write(ours[1], line[:4])
    assert list(choices.lines()) == []
    os.write(ours[1], line[4:] + line)
    assert list(choices.lines()) == [line[:-1], line[:-1]]


def test_a_step_that_says_nothing_new_is_not_said_again() -> None:
    theirs = os.pipe()
    steps, step = StepWriter(theirs[1]), TaskStep(say("Enrol: {set}", set="stones"), say("Next"))
    for _ in range(5):
        steps.write(step)
    steps.write(msgspec.structs.replace(step, done=1))
    os.close(theirs[1])
    assert len(heard_steps(theirs[0])) == 2


def test_a_camera_that_is_lost_ends_it_with_an_error_and_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = Job("stones", CameraSpec("opencv", str(tmp_path / "none")), str(tmp_path / "stones"))
    monkeypatch.setattr("sys.argv", ["camera_process_main", msgspec.json.encode(lost).decode()])
    theirs = os.pipe()
    with Path(os.devnull).open() as nobody, os.fdopen(theirs[1], "w") as out:
        monkeypatch.setattr("sys.stdin", nobody)
        monkeypatch.setattr("sys.stdout", out)
        assert main() == 1
    last = heard_steps(theirs[0])[-1]
    assert (last.doing, last.now, last.remarks) == (say("Enrol: {set}", set=Text("stones")), TASK_FAILED, (GONE,))


def test_every_error_with_a_sentence_is_a_reason() -> None:
    assert reasons(Invalid(say("This table has no camera."))) == (say("This table has no camera."),)
    assert reasons(CameraLost("none", Health.REFUSED)) == (trouble(Health.REFUSED),)
    damaged = BadFile(Path("enrolled.json"), Fault("", "is damaged", "enrol the set again"))
    assert [str(each) for each in reasons(damaged)] == [clean(str(damaged))]
    assert reasons(OSError(28, "No space left on device")) == ()
