"""Real power cuts: QEMU is killed while a match is played at the pins, and the table has to go on.

    python -m tools.machine.outages --outages 20 --seed 1 --folder var/machine/outages --json

After each the machine is switched on again: the service has to get ready, to hold at least the entries that somebody
had been shown, and the players have to go on with the match at the pins.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.machine.cuts import BYTES
from tools.machine.disk import Disk, make_disk
from tools.machine.guest.play import PAGE
from tools.machine.installing import PLAY, TABLE, UP, Installed, fresh, install_package
from tools.machine.qemu import Machine, MachineError, Options
from tools.machine.recipe import Recipe

SOONEST_S, LATEST_S = 20.0, 90.0
"""Since the players began: the match is being set up, or played."""

MORE = 3
"""Actions that players do after it."""


class Outages(msgspec.Struct, frozen=True):
    """What came of them. seen, found: entries shown before, and there afterwards, over all. lost: after which some were
    gone that had been shown. dark: after which the service did not get ready. stuck: after which the match did not go
    on. unlike: displays that did not show what the daemon said.
    """

    outages: int = 0
    seen: int = 0
    found: int = 0
    lost: int = 0
    dark: int = 0
    stuck: int = 0
    unlike: int = 0
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.lost + self.dark + self.stuck + self.unlike


@dataclass(frozen=True)
class Outage:
    """One, so many seconds after the players began."""

    disk: Disk
    ready: Installed
    seed: int
    after_s: float


def go_out(task: Outage) -> Outages:
    """One power cut."""
    with tempfile.TemporaryDirectory(dir=task.ready.image.parent, prefix="outage-") as folder:
        machine = Machine(task.disk, Path(folder), Options(), task.ready.image)
        subprocess.run(["qemu-img", "resize", "-q", machine.image, "+1M"], check=True)
        with machine:
            fresh(machine)
            play = f"{PLAY} {TABLE} --seed {task.seed} --acknowledge {BYTES}"
            machine.must(f"sync; setsid {play} > /dev/null 2>&1 &")
            time.sleep(task.after_s)
            machine.cut()
            machine.boot()
            return _judge(machine, task)


def _judge(machine: Machine, task: Outage) -> Outages:
    how = f"after {task.after_s:.1f} s"
    said = machine.must(f"dd if=/dev/vda bs={PAGE} skip={BYTES // PAGE} count=1 2> /dev/null | head -c 64").out
    page = re.match(r"SEEN \d+ (\d+) ", said)
    seen = int(page[1]) if page else 0
    result = Outages(outages=1, seen=seen)
    try:
        machine.wait(UP, 300)
        told = json.loads(machine.must(f"{PLAY} {TABLE} --seed {task.seed + 1} --longest {MORE}", 1800).out)
    except MachineError as error:
        return msgspec.structs.replace(result, dark=1, notes=(f"{how}: {error}"[:600],))
    wrong = told["stuck"] or told["wrong"]
    faults = [told["notes"]] if wrong else []
    if told["found"] < seen:
        faults.append(f"{told['found']} entries are there, {seen} were seen")
    return msgspec.structs.replace(
        result,
        found=told["found"],
        lost=int(told["found"] < seen),
        stuck=int(bool(wrong)),
        unlike=told["unlike"],
        notes=tuple(f"{how}: {fault}"[:600] for fault in faults),
    )


def outage_test(outages: int, seed: int, *, folder: Path | None = None, told: OnProgress = no_progress) -> Outages:
    """So many, one after the other. folder: keeps what was done, so that a run that was broken off goes on."""
    disk = make_disk(Recipe())
    ready, rng = install_package(disk), random.Random(f"{seed}/outages")
    tasks = {n: Outage(disk, ready, seed + n, rng.uniform(SOONEST_S, LATEST_S)) for n in range(outages)}
    kept = StoredResults(folder, {"outages": outages, "seed": seed}, Outages)
    return total(carried_on(go_out, tasks, 1, kept, told).values(), Outages())


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--outages", type=int, default=20, help="power cuts (20)")
    given = parser.parse_args()
    with longrun.start_run("power cuts") as told:
        result = outage_test(given.outages, given.seed, folder=given.folder, told=told)
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
