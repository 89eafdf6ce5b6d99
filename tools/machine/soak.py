"""All that the machine can tell, for every release and processor: `make machine-soak`.

It goes on where it was broken off. Each step's verdict is kept in var/machine/soak.jsonl with the state of the code
that it counts for; steps that have passed in this state are not done again. Hours: the arm64 machines are emulated
whole, and the first step of each machine makes its disk.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from referee_simulator.harness.stored_results import code
from tools.machine.recipe import HERE, KEPT

MACHINES = ("bookworm-amd64", "trixie-amd64", "bookworm-arm64", "trixie-arm64")
FILES = ("test_devices", "test_service", "test_games", "test_faults", "test_camera", "test_package", "test_install")
LONG = {
    "cuts": ("--cuts", "1000"),
    "outages": ("--outages", "20"),
    "upgrades": ("--kills", "50"),
}
"""Long runs on amd64 Bookworm, with their options."""

LEDGER = KEPT / "soak.jsonl"


@dataclass(frozen=True)
class Step:
    """A file of tests in a machine, or a long run."""

    machine: str
    name: str

    @property
    def command(self) -> list[str]:
        if self.name in LONG:
            kept = ["--folder", str(KEPT / self.name / state()), "--json"]
            return [sys.executable, "-m", f"tools.machine.{self.name}", *LONG[self.name], *kept]
        path = f"tools/machine/{self.name}.py"
        return [sys.executable, "-m", "pytest", "-m", "machine", "--timeout", "7200", "-s", path]


@dataclass(frozen=True)
class Verdict:
    """What came of a step in a state of the code."""

    state: str
    machine: str
    name: str
    passed: bool
    seconds: float


def steps() -> list[Step]:
    """All of them, quick machines first."""
    tests = [Step(machine, name) for machine in MACHINES for name in FILES]
    return [*tests[: len(FILES)], *(Step(MACHINES[0], name) for name in LONG), *tests[len(FILES) :]]


def state() -> str:
    """Of the program, and of these tests."""
    told = hashlib.sha256(code().encode())
    for path in sorted(HERE.rglob("*")):
        if path.suffix in (".py", ".c", ".service") and path != Path(__file__):
            told.update(path.read_bytes())
    return told.hexdigest()[:12]


def passed_steps() -> set[Step]:
    """What needs not be done again."""
    if not LEDGER.exists():
        return set()
    verdicts = [Verdict(**json.loads(line)) for line in LEDGER.read_text().splitlines()]
    now = state()
    return {Step(each.machine, each.name) for each in verdicts if each.passed and each.state == now}


def carry_out(step: Step) -> Verdict:
    """Does one step, and keeps its verdict."""
    begun = time.monotonic()
    done = subprocess.run(step.command, env={**os.environ, "MACHINE": step.machine}, check=False)
    verdict = Verdict(state(), step.machine, step.name, done.returncode == 0, round(time.monotonic() - begun, 1))
    LEDGER.parent.mkdir(parents=True, exist_ok=True)
    with LEDGER.open("a") as ledger:
        ledger.write(json.dumps(asdict(verdict)) + "\n")
    return verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", choices=MACHINES, help="this one alone")
    parser.add_argument("--step", choices=(*FILES, *LONG), help="this step alone")
    parser.add_argument("--list", action="store_true", help="say which steps are left, and do none")
    parser.add_argument("--json", action="store_true", help="one JSON object at the end")
    given = parser.parse_args()
    chosen = [s for s in steps() if given.machine in (None, s.machine) and given.step in (None, s.name)]
    before = passed_steps()
    left = [step for step in chosen if step not in before]
    if given.list:
        print("\n".join(f"{step.machine} {step.name}" for step in left) or "nothing is left")
        return 0
    verdicts = list[Verdict]()
    for number, step in enumerate(left, 1):
        print(f"== {number} of {len(left)}: {step.machine} {step.name}", file=sys.stderr, flush=True)
        verdicts.append(carry_out(step))
    failed = [f"{each.machine} {each.name}" for each in verdicts if not each.passed]
    told = {"steps": len(chosen), "passed": len(chosen) - len(failed), "failed": failed}
    print(
        json.dumps(told)
        if given.json
        else f"{told['passed']} of {told['steps']} steps passed; failed: {failed or 'none'}"
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
