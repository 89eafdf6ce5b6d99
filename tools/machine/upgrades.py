"""Upgrades that are broken off: whenever that is, a referee runs, the old one or the new one.

    python -m tools.machine.upgrades --kills 50 --seed 1 --folder var/machine/upgrades --json

An upgrade of the installed package is broken off after a time drawn from as long as an undisturbed one takes: by kill
-9 of apt and dpkg with all that they started, or by a cut of the power. Then a referee has to run within PATIENCE_S,
and `dpkg --configure -a` with a second upgrade has to bring the new one.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.machine.disk import Disk, make_disk
from tools.machine.installing import SHARE, UP, Installed, build_package, install_package, share
from tools.machine.qemu import Machine, MachineError, Options
from tools.machine.recipe import Recipe

PATIENCE_S = 300
MARK = "next"
MOST_NOTES = 20
CURRENT = "basename $(readlink /opt/table-referee/current)"


class Upgrades(msgspec.Struct, frozen=True):
    """What came of them. by_cut: by a cut of the power; the others by kill -9. old, new: which referee ran afterwards.
    dark: after which none did. unfinished: after which the new one could not be brought.
    """

    upgrades: int = 0
    by_cut: int = 0
    old: int = 0
    new: int = 0
    dark: int = 0
    unfinished: int = 0
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.dark + self.unfinished


@dataclass(frozen=True)
class Awake:
    """A machine whose referee is ready, as it was put to sleep: its disk and its memory; and its pace."""

    disk: Disk
    image: Path
    memory: Path
    pace: float

    def woken(self, folder: Path) -> Machine:
        """One that goes on from there, in a folder of its own. It is no quicker than when it was booted."""
        machine = Machine(self.disk, folder, Options(), self.image, self.memory)
        machine.pace = self.pace
        return machine


def awake(disk: Disk, ready: Installed, folder: Path) -> Awake:
    """Boots the machine once for all upgrades. Raises MachineError."""
    with Machine(disk, folder, Options(), ready.image) as machine:
        machine.wait(UP, PATIENCE_S)
        machine.sleep(folder / "memory")
        return Awake(disk, machine.image, folder / "memory", machine.pace)


@dataclass(frozen=True)
class Upgrade:
    """To a package, broken off after so many seconds."""

    machine: Awake
    package: Path
    after_s: float
    by_cut: bool


def upgrade_command(package: Path) -> str:
    return f"DEBIAN_FRONTEND=noninteractive apt-get install -y -q {SHARE}/{package.name}"


def version(machine: Machine) -> str:
    """Of the referee that a start would start."""
    return machine.must(CURRENT).text


def break_off(task: Upgrade) -> Upgrades:
    """One upgrade."""
    with (
        tempfile.TemporaryDirectory(dir=task.machine.image.parent, prefix="upgrading-") as folder,
        task.machine.woken(Path(folder)) as machine,
    ):
        old = version(machine)
        share(machine, task.package)
        machine.must(f"setsid sh -c '{upgrade_command(task.package)}' > /dev/null 2>&1 & echo $! > /run/upgrade")
        time.sleep(task.after_s)
        if task.by_cut:
            machine.cut()
            machine.boot()
        else:
            machine.must("kill -9 -$(cat /run/upgrade) 2> /dev/null; pkill -9 dpkg; pkill -9 apt-get; true")
        return _judge(machine, task, old)


def _judge(machine: Machine, task: Upgrade, old: str) -> Upgrades:
    how = f"{'cut' if task.by_cut else 'killed'} after {task.after_s:.1f} s"
    result = Upgrades(upgrades=1, by_cut=int(task.by_cut))
    try:
        machine.wait(UP, PATIENCE_S)
    except MachineError as error:
        return msgspec.structs.replace(result, dark=1, notes=(f"{how}: {error}"[:600],))
    ran = version(machine)
    result = msgspec.structs.replace(result, old=int(ran == old), new=int(ran != old))
    ended = [machine.sh("dpkg --configure -a", 600), machine.sh(upgrade_command(task.package), 900)]
    said = "; ".join(f"{each.command}: rc {each.rc} {(each.out + each.err)[-400:]}" for each in ended)
    try:
        machine.wait(UP, PATIENCE_S)
    except MachineError as error:
        return msgspec.structs.replace(result, unfinished=1, notes=(f"{how}: {error}"[:600], said))
    if version(machine) == old:
        return msgspec.structs.replace(result, unfinished=1, notes=(f"{how}: {old} still runs", said))
    return result


def time_undisturbed(task: Upgrade) -> float:
    """Seconds that an upgrade takes that nothing breaks off. Raises MachineError."""
    with (
        tempfile.TemporaryDirectory(dir=task.machine.image.parent, prefix="upgrading-") as folder,
        task.machine.woken(Path(folder)) as machine,
    ):
        share(machine, task.package)
        begun = time.monotonic()
        machine.must(upgrade_command(task.package), 1800)
        return time.monotonic() - begun


def upgrade_test(
    kills: int,
    seed: int,
    *,
    folder: Path | None = None,
    told: OnProgress = no_progress,
    recipe: Recipe | None = None,
) -> Upgrades:
    """So many upgrades, one after the other. folder: keeps what was done, so that a run that was broken off goes on."""
    disk = make_disk(recipe or Recipe())
    ready = install_package(disk)
    package = build_package(disk, disk.image.parent / "packages", MARK)
    kept = StoredResults(folder, {"kills": kills, "seed": seed}, Upgrades)
    if len(kept.done) == kills:
        return total(kept.done.values(), Upgrades())
    with tempfile.TemporaryDirectory(dir=ready.image.parent, prefix="awake-") as place:
        machine = awake(disk, ready, Path(place))
        whole = time_undisturbed(Upgrade(machine, package, 0.0, by_cut=False))
        rng = random.Random(f"{seed}/upgrades")
        moments = [whole * (n + rng.random()) / kills for n in range(kills)]
        anywhere = rng.sample(range(kills), kills)  # so that a run that is broken off has been everywhere
        tasks = {n: Upgrade(machine, package, moments[n], n % 2 == 1) for n in anywhere}
        return total(carried_on(break_off, tasks, 1, kept, told).values(), Upgrades())


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--kills", type=int, default=50, help="upgrades that are broken off (50)")
    given = parser.parse_args()
    try:
        with longrun.start_run("upgrades") as told:
            result = upgrade_test(given.kills, given.seed, folder=given.folder, told=told)
    except (MachineError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
