"""Switching between versions: a version that does not get ready is left again, and whenever it is killed, one runs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "package" / "referee-version"
SYSTEMCTL = Path(__file__).parent / "stand_ins" / "systemctl"
OLD, NEW, BROKEN = "1.0+deb12-aaaaaaaa", "1.1+deb12-bbbbbbbb", "1.2+deb12-cccccccc"
SLOW, HUNG = "1.3+deb12-dddddddd", "1.4+deb12-eeeeeeee"
STARTS = {BROKEN: "broken", SLOW: "slow", HUNG: "hung"}
"""How a version starts that does not start at once."""
CHANGING = ("cp", "ln", "mv", "rm", "sync", "systemctl")
"""The programs that change something: before any of them the script may be killed."""
STANDS_IN = {"sync": "true"}
"""Nobody pulls the plug here, and the disk has others to wait for."""
PATIENCE_S = 60
"""A machine with much to do may take seconds to look twice; what is broken is given up after its falls, not by this."""


@dataclass
class Machine:
    """A machine with versions of the referee, and a systemd that starts what `current` names (stand_ins/systemctl)."""

    folder: Path

    @property
    def base(self) -> Path:
        return self.folder / "base"

    def unpack(self, name: str) -> Path:
        """What a package unpacks: one version, that gets ready if it is not broken."""
        shutil.rmtree(self.base / "unpacked", ignore_errors=True)
        (self.base / "unpacked" / "bin").mkdir(parents=True)
        (self.base / "unpacked" / "bin" / "referee").write_text(STARTS.get(name, "sound"))
        (self.base / "unpacked" / "NAME").write_text(f"{name}\n")
        return self.base / "unpacked"

    def run(self, *words: str, kill_at: int = 0, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """Runs the script; with kill_at, all of it is killed in place of the kill_at-th change. within: what it is run
        by, in the checkout."""
        (self.folder / "changes").write_text("0")
        return self._run(*within, SCRIPT, *words, kill_at=kill_at)

    def _run(self, *command: str | Path, kill_at: int = 0) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.folder / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin",
            "REFEREE_BASE": str(self.base),
            "REFEREE_BOOTED": str(self.folder),
            "REFEREE_PATIENCE": str(PATIENCE_S),
            "MACHINE": str(self.folder),
            "KILL_AT": str(kill_at),
        }
        return subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, start_new_session=True
        )

    def install(self, name: str, kill_at: int = 0) -> subprocess.CompletedProcess[str]:
        """What the package's postinst does."""
        self.unpack(name)
        adopted = self.run("adopt", str(self.base / "unpacked"), kill_at=kill_at)
        if adopted.returncode:
            return adopted
        done = int((self.folder / "changes").read_text())
        return self.run("use", name, kill_at=max(kill_at - done, 0))

    def start_anew(self) -> None:
        """The power fails, and comes back: the service is started, and with it the trial."""
        while at_work := self.at_work():
            for each in at_work:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        (self.folder / "running").unlink()
        self._run(self.folder / "bin" / "systemctl", "restart")

    def at_work(self) -> list[int]:
        """The processes of this machine."""
        found = list[int]()
        for each in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it has ended
                if f"MACHINE={self.folder}\0".encode() in each.read_bytes():
                    found.append(int(each.parent.name))
        return found

    def rest(self) -> None:
        """Waits until nothing is at work: trials of starts that were overtaken are, for a while."""
        until = time.monotonic() + PATIENCE_S
        while self.at_work():
            assert time.monotonic() < until, "something works on"
            time.sleep(0.02)

    def settle(self) -> None:
        """Waits for the trial, which goes on whatever was killed."""
        until = time.monotonic() + 60
        while not self.plays and time.monotonic() < until:
            time.sleep(0.02)

    @property
    def current(self) -> str:
        return (self.base / "current").readlink().name

    @property
    def plays(self) -> str:
        """The version that runs and is ready, or nothing."""
        running = self.folder / "running"
        name = running.read_text() if running.exists() else ""
        return name if name and (self.base / name / "bin" / "referee").read_text() == "sound" else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "bin").mkdir()
    (tmp_path / "base").mkdir()
    shutil.copy(SYSTEMCTL, tmp_path / "bin" / "real-systemctl")
    (tmp_path / "bin" / "referee-version").symlink_to(SCRIPT)
    for name in CHANGING:
        program = (
            tmp_path / "bin" / "real-systemctl" if name == "systemctl" else shutil.which(STANDS_IN.get(name, name))
        )
        counted = tmp_path / "bin" / name
        counted.write_text(
            "#!/bin/sh\ncase $1 in show | daemon-reload) ;; *)\n"
            'n=$(($(cat "$MACHINE/changes") + 1)); echo $n > "$MACHINE/changes"\n'
            '[ $n != "$KILL_AT" ] || kill -9 0 ;; esac\n' + f'exec {program} "$@"\n'
        )
        counted.chmod(0o755)
    (tmp_path / "bin" / "sleep").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "sleep").chmod(0o755)
    (tmp_path / "changes").write_text("0")
    return Machine(tmp_path)


def test_the_first_version_is_started(machine: Machine) -> None:
    assert machine.install(OLD).returncode == 0
    assert machine.plays == machine.current == OLD


@pytest.mark.thorough
def test_an_upgrade_keeps_the_version_before_and_no_more(machine: Machine) -> None:
    machine.install("0.9+deb12-99999999")
    machine.install(OLD)
    assert machine.install(NEW).returncode == 0
    assert machine.plays == NEW
    listed = machine.run().stdout
    assert listed.splitlines() == [f"{OLD}  the one before", f"{NEW}  runs"]


def test_what_does_not_get_ready_is_left_again(machine: Machine) -> None:
    machine.install(OLD)
    result = machine.install(BROKEN)
    assert result.returncode == 1
    assert machine.plays == machine.current == OLD
    assert result.stderr == (
        f"referee-version: {BROKEN} did not get ready: back to {OLD}. journalctl -u referee.service says why\n"
    )


@pytest.mark.parametrize(("name", "runs"), [(SLOW, SLOW), (HUNG, OLD)])
def test_a_start_that_goes_on_is_waited_for_and_one_that_hangs_is_left(machine: Machine, name: str, runs: str) -> None:
    """Half of the patience goes by between two looks; the slow start takes five of them."""
    (machine.folder / "clock").write_text("0")
    (machine.folder / "bin" / "cut").write_text('#!/bin/sh\ncat "$MACHINE/clock"\n')
    (machine.folder / "bin" / "cut").chmod(0o755)
    (machine.folder / "bin" / "sleep").write_text(
        f'#!/bin/sh\necho $(($(cat "$MACHINE/clock") + {PATIENCE_S // 2})) > "$MACHINE/clock"\n'
    )
    machine.install(OLD)
    machine.install(name)
    assert machine.current == runs


def test_a_first_version_that_does_not_get_ready_stays_and_that_is_said(machine: Machine) -> None:
    result = machine.install(BROKEN)
    assert result.returncode == 1
    assert machine.current == BROKEN
    assert "is installed, but does not get ready" in result.stderr


@pytest.mark.thorough
def test_a_person_goes_back_and_forth(machine: Machine) -> None:
    machine.install(OLD)
    machine.install(NEW)
    assert machine.run("back").returncode == 0
    assert machine.plays == OLD
    assert machine.run("back").returncode == 0
    assert machine.plays == NEW
    assert machine.run("use", OLD).returncode == 0
    assert machine.plays == OLD


def test_nobody_is_sent_to_a_version_that_is_not_there(machine: Machine) -> None:
    assert machine.run("back").stderr == "referee-version: there is no version before\n"
    machine.install(OLD)
    assert f"there are: {OLD}" in machine.run("use", NEW).stderr
    assert machine.plays == OLD


def test_a_version_that_is_replaced_under_its_name_is_another_one(machine: Machine) -> None:
    """The package's files are hard links: what the next package does to its own does not touch an adopted version."""
    machine.install(OLD)
    machine.unpack(NEW)
    assert (machine.base / OLD / "NAME").read_text() == f"{OLD}\n"
    assert machine.run().stdout == f"{OLD}  runs\n"


@pytest.mark.quick(1)
@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", [NEW, BROKEN])
@pytest.mark.parametrize("power", ["stays", "fails"])
def test_killed_before_any_change_one_version_runs_and_a_second_try_ends_it(
    machine: Machine, name: str, power: str, step: int, tmp_path: Path
) -> None:
    """As by `dpkg --configure -a` after the kill, or at the next start of the machine."""
    machine.install("0.9+deb12-99999999")
    machine.install(OLD)
    kept = tmp_path / "kept"
    shutil.copytree(machine.base, kept, symlinks=True)
    killed = 0
    for at in range(1, 100, step):
        result = machine.install(name, kill_at=at)
        if result.returncode != -signal.SIGKILL:
            break
        killed += 1
        if power == "fails":
            machine.start_anew()
        machine.settle()
        assert machine.plays, f"kill {at}: the table is dark"
        machine.install(name)
        assert machine.plays == machine.current == (NEW if name == NEW else OLD), f"kill {at}"
        machine.rest()
        shutil.rmtree(machine.base)
        shutil.copytree(kept, machine.base, symlinks=True)
        (machine.folder / "running").write_text(OLD)
    assert killed >= 12 / step
    assert not list(machine.base.glob("*.new"))


def test_what_a_package_has_brought_is_there_still_if_a_trial_ends_before_it_is_used(machine: Machine) -> None:
    """An upgrade that was broken off left a trial; the machine's start gives its verdict while apt tries again."""
    machine.install(OLD)
    (machine.base / "trial").write_text(OLD)
    machine.unpack(NEW)
    machine.run("adopt", str(machine.base / "unpacked"))
    machine.run("judge")
    assert not (machine.base / "trial").exists()
    assert machine.run("use", NEW).returncode == 0
    assert machine.plays == machine.current == NEW


def test_a_trial_that_waited_from_an_earlier_start_does_not_take_the_old_version_for_the_new_one(
    machine: Machine,
) -> None:
    machine.install(OLD)
    machine.rest()
    systemctl, script = machine.folder / "bin" / "systemctl", machine.folder / "bin" / "referee-version"
    systemctl.write_text(
        "#!/bin/sh\nif [ $1 = daemon-reload ]; then\n"
        f"    setsid {script} judge > /dev/null 2>&1 9>&- &\n    /bin/sleep 0.5\nfi\n"
        f'exec {machine.folder}/bin/real-systemctl "$@"\n'
    )
    assert machine.install(BROKEN).returncode == 1
    assert machine.plays == machine.current == OLD


def test_an_answer_of_systemd_that_does_not_come_takes_no_version_back(machine: Machine) -> None:
    """It is asked each second for minutes, and may be too busy once."""
    machine.install(OLD)
    real, asked = machine.folder / "bin" / "real-systemctl", machine.folder / "asked"
    (machine.folder / "bin" / "systemctl").write_text(
        f'#!/bin/sh\nif [ "$1" = show ]; then\n    echo x >> {asked}\n'
        f"    [ $(($(wc -l < {asked}) % 4)) != 0 ] || exit 1\nfi\n"
        f'exec {real} "$@"\n'
    )
    assert machine.install(NEW).returncode == 0
    assert machine.plays == machine.current == NEW
