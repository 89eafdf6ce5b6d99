"""The daemon's side: it asks now and then, never waits, and knows when nobody answers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.owner.upkeep import LONGEST_ANSWER, HelperJob, there
from device.privileged_helper.verbs import Answer, VerbResult, decode_answer
from tests.device.privileged_helper.machine import Machine, until


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.stop()


def test_an_errand_is_followed_to_its_end(machine: Machine) -> None:
    machine.start()
    job = HelperJob("update", machine.path)
    assert job.poll() == Answer("update", "waiting")
    until(lambda: job.poll().state == "running")
    assert job.poll().stage == "looking"
    machine.finish("update", "failed nothing-newer")
    until(lambda: job.poll().over)
    assert job.poll() == Answer("update", "failed", why="nothing-newer")


def test_how_it_stands_is_told_with_what_ended(machine: Machine) -> None:
    (machine.folder / "stages" / "back").write_text("done\n")
    (machine.folder / "base" / "current").symlink_to("1.1")
    machine.start()
    look = HelperJob("look", machine.path)
    until(lambda: look.poll().over)
    assert look.answer == Answer("look", "done", runs="1.1", ended={"back": VerbResult("done")})


def test_where_there_is_no_steward_nothing_is_offered_and_an_errand_says_so(tmp_path: Path) -> None:
    assert not there(tmp_path / "none.sock")
    (tmp_path / "file").touch()
    assert not there(tmp_path / "file")
    assert HelperJob("reset", tmp_path / "none.sock").poll() == Answer("reset", "failed", why="nobody-there")


def test_a_steward_that_is_killed_breaks_the_errand_off_for_who_asked(machine: Machine) -> None:
    machine.start()
    assert there(machine.path)
    job = HelperJob("update", machine.path)
    until(lambda: job.poll().state == "running")
    machine.kill()
    until(lambda: job.poll().over)
    assert job.answer == Answer("update", "failed", why="broken-off")
    assert job.poll() == job.answer


@pytest.mark.parametrize(
    "told", [b"hello\n", b"[]\n", b'{"state": 1, "other": 2}\n', b'{"verb":\n', b"x" * (LONGEST_ANSWER + 1)]
)
def test_what_is_no_answer_ends_the_errand(tmp_path: Path, told: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        job = HelperJob("look", tmp_path / "s")
        connection, _ = listener.accept()
        with connection:
            connection.sendall(told)
            until(lambda: job.poll().over)
    assert job.answer == Answer("look", "failed", why="failed")


def test_lines_come_in_any_pieces(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        job = HelperJob("update", tmp_path / "s")
        connection, _ = listener.accept()
        with connection:
            for byte in Answer("update", "running", "fetching").line():
                connection.sendall(bytes([byte]))
                job.poll()
            assert job.answer == Answer("update", "running", "fetching")


def test_an_answer_comes_back_as_it_went() -> None:
    full = Answer(
        "look",
        "done",
        runs="1.1",
        before="1.0",
        newer="1.2",
        signature="signed",
        ended={"reset": VerbResult("failed", why="failed")},
    )
    assert decode_answer(full.line()) == full
