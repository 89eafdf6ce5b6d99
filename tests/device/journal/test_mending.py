"""Mending on a disk that goes on failing: sectors that cannot be read, and a kill at any call of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from device.journal import Journal
from device.journal.opening import open_at_power_on
from engine.entry import Act, Entry, Start
from referee_simulator.disk import shim

ROOT = Path(__file__).parents[3]
ENTRIES: tuple[Entry, ...] = (
    Start(at=0.0, game="tellstones", options={"orders": "seen"}, seats=("a", "b"), seed=7),
    *(Act(float(n), "ab"[n % 2], ("hide", f"stone-{n}")) for n in range(1, 60)),
)
UNREADABLE = """
import sys
from pathlib import Path
from device.journal.opening import open_at_power_on
from referee_simulator.disk.shim import watch_folder
folder = Path(sys.argv[1])
with watch_folder(folder) as disk:
    disk.spoil(folder / sys.argv[2], int(sys.argv[3]))
    opened = open_at_power_on(folder / "journal.db")
    with opened.journal as journal:
        print(len(journal.entries(1)), opened.unsaved, opened.mended)
"""
KILLED = """
import os, sys
from pathlib import Path
from device.journal.opening import open_at_power_on
from referee_simulator.disk.shim import Disk
disk = Disk(Path(sys.argv[1]))
disk.kill(int(sys.argv[2]))
with open_at_power_on(Path(sys.argv[1]) / "journal.db").journal:
    print(disk.calls, flush=True)
"""
NEVER = 1 << 40


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The folder of a journal as a killed daemon leaves it, half of it in the database."""
    with Journal(tmp_path / "open" / "journal.db") as journal:
        for entry in ENTRIES[:30]:
            journal.append((entry,))
        journal.rest()
        for entry in ENTRIES[30:]:
            journal.append((entry,))
        journal.attest()
        return Path(shutil.copytree(tmp_path / "open", tmp_path / "killed"))


def run(code: str, *arguments: object) -> str:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, env=shim.environment(), capture_output=True, text=True, check=False
    ).stdout.strip()


@pytest.mark.quick(1)
@pytest.mark.parametrize(("name", "place"), [("journal.db", 0), ("journal.db-wal", 8192)])
def test_a_sector_that_cannot_be_read_costs_nothing(killed: Path, name: str, place: int) -> None:
    said = "The journal was damaged and repaired. Check the last move and the disk."
    assert run(UNREADABLE, killed, name, place) == f"60 None {said}"


@pytest.mark.thorough
def test_a_kill_at_any_call_of_mending_costs_nothing(killed: Path) -> None:
    log = killed / "journal.db-wal"
    data = bytearray(log.read_bytes())
    data[len(data) // 3] ^= 4
    log.write_bytes(data)
    calls = int(run(KILLED, shutil.copytree(killed, killed.with_name("counted")), NEVER))
    for number in range(0, calls, calls // 5):
        folder = shutil.copytree(killed, killed.with_name(f"killed-{number}"))
        assert run(KILLED, folder, number) == ""
        opened = open_at_power_on(folder / "journal.db")
        with opened.journal as journal:
            assert journal.entries(1) == ENTRIES, number
            assert journal.about(1).losses == ()
        assert opened.unsaved is None
