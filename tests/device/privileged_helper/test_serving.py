"""The steward at its socket: who is heard, for what, one errand at a time; and an errand that outlives it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.privileged_helper.serving import COMMANDS, RUNNING
from device.privileged_helper.verbs import VERBS
from tests.device.privileged_helper.machine import LIMIT_S, Machine, until
from tests.device.systemd import sandbox


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.stop()


def test_an_errand_is_begun_told_and_ended(machine: Machine) -> None:
    machine.start()
    with machine.asked(b"update\n") as answer:
        assert answer() == {"verb": "update", "state": "running", "stage": "looking"}
        machine.finish("update")
        assert answer() == {"verb": "update", "state": "done"}
        assert answer() is None
    assert machine.begun() == ["update"]


@pytest.mark.thorough
@pytest.mark.skipif(not sandbox.USABLE, reason="systemd-analyze is not installed")
def test_its_units_filter_lets_it_do_its_work(machine: Machine) -> None:
    rightless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.getuid() == 0 else ()
    machine.start(under=(*rightless, sys.executable, "-m", sandbox.__name__, "referee-steward"))
    with machine.asked(b"reset\n") as answer:
        assert answer() == {"verb": "reset", "state": "running", "stage": "looking"}
        machine.finish("reset")
        assert answer() == {"verb": "reset", "state": "done"}
    assert machine.ask(b"look\n")[0]["ended"]["reset"]["state"] == "done"


def test_why_an_errand_failed_is_told(machine: Machine) -> None:
    machine.start()
    machine.finish("update", "failed nothing-newer")
    assert machine.ask(b"update\n")[-1] == {"verb": "update", "state": "failed", "why": "nothing-newer"}


def test_a_restart_has_no_stages(machine: Machine) -> None:
    machine.start()
    machine.finish("restart")
    assert machine.ask(b"restart\n") == [{"verb": "restart", "state": "done"}]
    assert machine.begun() == ["restart"]


def test_another_user_is_not_heard(machine: Machine) -> None:
    machine.uid = os.getuid() + 1
    machine.start()
    for verb in VERBS:
        assert machine.ask(f"{verb}\n".encode()) == [{"verb": "", "state": "refused", "why": "stranger"}]
    assert machine.begun() == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as somebody else")
def test_whoever_can_reach_the_socket_is_asked_by_the_kernel_who_it_is(machine: Machine) -> None:
    machine.start()
    machine.path.chmod(0o666)
    code = (
        "import os, socket, sys\nos.setgid(65534), os.setuid(65534)\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'reset\\n'); print(s.recv(999).decode())"
    )
    words = [sys.executable, "-c", code, str(machine.path)]
    told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_S).stdout
    assert '"stranger"' in told
    assert machine.begun() == []


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("line", "verb"),
    [
        (b"poweroff\n", "poweroff"),
        (b"update; reboot\n", "update; reboot"),
        (b"update now\n", "update now"),
        (b"UPDATE\n", "UPDATE"),
        (b"\n", ""),
        (b"x" * 400, ""),
        (b"\xff\x00\n", "�\x00"),
    ],
)
def test_what_is_no_verb_is_refused(machine: Machine, line: bytes, verb: str) -> None:
    machine.start()
    assert machine.ask(line) == [{"verb": verb, "state": "refused", "why": "unknown-verb"}]
    assert machine.begun() == []


def test_of_two_at_once_one_is_done(machine: Machine) -> None:
    machine.start()
    with machine.asked(b"update\n") as answer:
        assert answer()
        assert machine.ask(b"update\n") == [{"verb": "update", "state": "refused", "why": "busy"}]
        assert machine.ask(b"reset\n") == [{"verb": "reset", "state": "refused", "why": "busy"}]
        machine.finish("update")
        assert answer() == {"verb": "update", "state": "done"}
    assert machine.begun() == ["update"]
    assert not (machine.folder / "reset").exists()
    machine.finish("reset")
    assert machine.ask(b"reset\n")[-1] == {"verb": "reset", "state": "done"}


@pytest.mark.thorough
def test_killed_half_way_the_errand_goes_on_and_the_next_steward_knows_of_it(machine: Machine) -> None:
    machine.start()
    with machine.asked(b"update\n") as answer:
        assert answer()
        machine.kill()
        assert answer() is None
    machine.start()
    (told,) = machine.ask(b"look\n")
    assert told["ended"] == {"update": {"state": "running", "stage": "looking", "why": ""}}
    assert machine.ask(b"back\n") == [{"verb": "back", "state": "refused", "why": "busy"}]
    machine.finish("update", "failed went-back")
    until(lambda: not machine.runs("update"))
    (told,) = machine.ask(b"look\n")
    assert told["ended"] == {"update": {"state": "failed", "stage": "", "why": "went-back"}}
    assert machine.begun() == ["update"]


def test_who_asks_may_go_and_the_errand_goes_on(machine: Machine) -> None:
    """The daemon is restarted by the very update that it asked for."""
    machine.start()
    with machine.asked(b"update\n") as answer:
        assert answer()
    assert machine.ask(b"back\n") == [{"verb": "back", "state": "refused", "why": "busy"}]
    machine.finish("update")
    until(lambda: not machine.runs("update"))
    assert machine.ask(b"look\n")[0]["ended"]["update"]["state"] == "done"


def test_an_errand_that_was_broken_off_is_told_as_such(machine: Machine) -> None:
    (machine.folder / "stages" / "update").write_text("running installing\n")
    machine.start()
    assert machine.ask(b"look\n")[0]["ended"] == {"update": {"state": "failed", "stage": "", "why": "broken-off"}}


def test_a_reset_leaves_its_mark_first_and_without_one_nothing_is_begun(machine: Machine) -> None:
    machine.start()
    with machine.asked(b"reset\n") as answer:
        assert answer()
        assert (machine.folder / "reset").exists()
        machine.finish("reset")
        assert answer() == {"verb": "reset", "state": "done"}
    (machine.folder / "reset").unlink()
    (machine.folder / "reset").symlink_to("/dev/full/none")
    assert machine.ask(b"reset\n") == [{"verb": "reset", "state": "failed", "why": "failed"}]
    assert machine.begun() == ["reset"]


def test_a_reset_whose_unit_does_not_begin_is_not_made_up_for_at_the_next_start(machine: Machine) -> None:
    (machine.folder / "reset.unstartable").touch()
    (machine.folder / "stages" / "reset").write_text("failed before\n")
    machine.start()
    assert machine.ask(b"reset\n") == [{"verb": "reset", "state": "failed", "why": "failed"}]
    assert not (machine.folder / "reset").exists()
    (machine.folder / "reset").touch()  # of one that was begun, and broken off
    assert machine.ask(b"reset\n")[-1]["state"] == "failed"
    assert (machine.folder / "reset").exists()


def test_a_reset_that_fails_once_it_has_begun_is_ended_at_the_next_start(machine: Machine) -> None:
    machine.start()
    machine.finish("reset", "failed failed")
    assert machine.ask(b"reset\n")[-1] == {"verb": "reset", "state": "failed", "why": "failed"}
    assert (machine.folder / "reset").exists()


def test_what_runs_what_ran_before_and_what_lies_on_the_card_is_told(machine: Machine) -> None:
    base = machine.folder / "base"
    (base / "current").symlink_to("1.1+deb12-bbbbbbbb")
    (base / "before").symlink_to("1.0+deb12-aaaaaaaa")
    (base / "referee-errand").write_text("#!/bin/sh\n[ $1 = look ] && echo 1.2+deb12\n")
    (base / "referee-errand").chmod(0o755)
    machine.start()
    assert machine.ask(b"look\n") == [
        {
            "verb": "look",
            "state": "done",
            "runs": "1.1+deb12-bbbbbbbb",
            "before": "1.0+deb12-aaaaaaaa",
            "newer": "1.2+deb12",
        }
    ]


def test_with_nobody_to_serve_it_ends_and_who_knocks_later_is_served_by_the_next(machine: Machine) -> None:
    machine.start(idle_s=0.3)
    assert machine.ends() == 0
    with socket.socket(socket.AF_UNIX) as early:
        early.connect(str(machine.path))
        early.sendall(b"look\n")
        machine.start()
        early.settimeout(LIMIT_S)
        assert b'"look"' in early.recv(4096)


def test_every_command_is_fixed_to_the_word() -> None:
    assert set(COMMANDS) == set(VERBS) - {"look"}
    words = [word for command in (*COMMANDS.values(), *RUNNING.values()) for word in command]
    assert {command[0] for command in (*COMMANDS.values(), *RUNNING.values())} == {"/usr/bin/systemctl"}
    assert not [word for word in words if set(word) & set("$;&|`{}%* \n")]
