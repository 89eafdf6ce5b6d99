"""A machine on a host that is so busy that no answer comes at once is not lost; one whose kernel has given up is."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tools.machine import qemu
from tools.machine.disk import Disk
from tools.machine.recipe import Recipe

AGENT = """import json, socket, sys, time
with socket.socket(socket.AF_UNIX) as server:
    server.bind(sys.argv[1])
    server.listen()
    line, _ = server.accept()
    with line.makefile("rw") as told:
        for question in told:
            time.sleep(0.5)
            told.write(json.dumps({"id": json.loads(question)["id"], "rc": 0, "out": "", "err": ""}) + "\\n")
            told.flush()
"""


class Slow(qemu.Machine):
    """Has an agent that needs half a second for each answer, and nothing else."""

    def _command(self, agent: Path) -> list[str]:
        return [sys.executable, "-c", AGENT, str(agent)]


def test_a_machine_whose_every_answer_takes_long_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "PATIENCE_S", 0.1)
    (tmp_path / "disk.qcow2").touch()
    nothing = tmp_path / "nothing"
    machine = Slow(Disk(Recipe(), nothing, nothing, nothing, nothing, nothing), tmp_path)
    try:
        assert machine.boot(wait_s=20) > 0.1
        assert machine.sh("true", 5).rc == 0
    finally:
        machine.close()


def test_a_machine_that_boots_slowly_has_as_much_longer_for_all_that_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qemu, "QUICK_BOOT_S", 0.1)
    (tmp_path / "disk.qcow2").touch()
    nothing = tmp_path / "nothing"
    machine = Slow(Disk(Recipe(), nothing, nothing, nothing, nothing, nothing), tmp_path)
    try:
        assert machine.boot(wait_s=20) >= 0.5
    finally:
        machine.close()
    monkeypatch.setattr(machine, "sh", lambda command: qemu.Done(command, 1, "", ""))
    begun = time.monotonic()
    with pytest.raises(qemu.MachineError, match="not within"):
        machine.wait("false", 0.1, every=0.05)
    assert time.monotonic() - begun >= 0.5


def test_a_machine_whose_kernel_gives_up_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "LOOK_S", 0.1)
    (tmp_path / "disk.qcow2").touch()
    nothing = tmp_path / "nothing"
    machine = Slow(Disk(Recipe(), nothing, nothing, nothing, nothing, nothing), tmp_path)
    try:
        machine.boot(wait_s=20)
        machine.console.write_text(f"[ 62.3] {qemu.PANIC} - not syncing: Fatal exception in interrupt\n")
        with pytest.raises(qemu.MachineError, match="Fatal exception in interrupt"):
            machine.sh("true", 60)
    finally:
        machine.close()
