"""A Pi's pace, counted in instructions: `make machine-bench` (python -m tools.machine.bench --json).

The machine runs on one emulated Cortex-A53 on which every instruction takes a nanosecond (QEMU's -icount shift=0), so
its processor time is a count that is the same on every host. In millions of instructions: the pass of ArUco that is the
unit, an idle frame, a full update of seven stones (its dearest picture), a picture in which a hand reaches over them,
the worker's start, the loading of 32 enrolled pictures (the first time, and later), the service until READY, and a
second of the idle service. In that machine's time: `own_p95_ms` and `press_p95_ms` from a press to the new screen
beside the button, and to every new screen, in one of twenty presses of a match; `kill_to_dark_ms` from kill -9 to dark
displays. The packages of the image are in packages.txt beside the disk.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.machine.disk import make_disk
from tools.machine.guest.oled import Displays
from tools.machine.installing import INSTALL_S, PLAY, TABLE, choose, install_package, kill, wait_up
from tools.machine.qemu import Machine, Options
from tools.machine.recipe import HERE, KERNELS, PROCESSORS, Recipe
from tools.package.release import ROOT

SPEED = "/opt/table-referee/current/bin/python /run/machine/tools/machine/guest/speed.py"
IDLE_S = 30


def measure_machine(recipe: Recipe) -> Iterator[tuple[str, float]]:
    """Each figure of a machine by its name, as it is found. Raises CannotMake, MachineError."""
    disk = make_disk(recipe)
    ready = install_package(disk)
    with tempfile.TemporaryDirectory(dir=disk.image.parent, prefix="bench-") as folder:
        machine = Machine(disk, Path(folder), Options(board="zero2w", memory_mb=1024, icount=True), ready.image)
        for name in ("bench", "vision"):
            shutil.copytree(HERE.parent / name, machine.share / "benches/tests" / name)
        shutil.copytree(ROOT / "config", machine.share / "benches/config")
        with machine:
            wait_up(machine, INSTALL_S)
            choose(machine, "none")
            yield "ready", millions(machine)
            machine.must(f"sleep {IDLE_S}")
            before = millions(machine)
            machine.must(f"sleep {IDLE_S}")
            yield "idle_second", round((millions(machine) - before) / IDLE_S, 2)
            match = json.loads(machine.must(f"{PLAY} {TABLE} --seed 3 --longest 6", 7200).out)
            yield from (("own_p95_ms", match["own_p95_ms"]), ("press_p95_ms", match["react_p95_ms"]))
            yield "kill_to_dark_ms", kill_to_dark(machine)
            machine.must("systemctl stop referee", 600)
            for part in ("vision", "loading"):
                yield from json.loads(machine.must(f"{SPEED} {part}", 7200).out).items()


def millions(machine: Machine) -> float:
    """Instructions of the service since it was started."""
    return round(int(machine.must("systemctl show --value --property=CPUUsageNSec referee").text) / 1e6, 1)


def kill_to_dark(machine: Machine) -> float:
    """Milliseconds of the machine's own time; -1: displays stayed lit."""
    machine.wait("test -s /run/referee/lit", 600)
    killed = kill(machine)
    machine.must("sleep 10")
    displays = Displays()
    for ns, _ in displays.steps(machine.log()):
        if ns >= killed and not displays.lit_displays():
            return round((ns - killed) / 1e6, 1)
    return -1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", choices=KERNELS, default="bookworm")
    parser.add_argument("--arch", choices=PROCESSORS, default="arm64", help="amd64 counts other instructions (arm64)")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args()
    told = {}
    for name, value in measure_machine(Recipe(given.release, given.arch)):
        told[name] = value
        print(f"{name}: {value}", file=sys.stderr, flush=True)
    print(json.dumps(told) if given.json else "\n".join(f"{name:>16} {value:10.1f}" for name, value in told.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
