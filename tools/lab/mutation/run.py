"""`make mutate`: a random sample of the engine's mutants, each against the tests that reach it.

Prints the figures (as JSON with --json). With --folder what was measured and tried is kept: a run that was
broken off goes on with the mutants that it has not tried, and tests that were not changed are not measured again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import unified_diff
from itertools import accumulate
from pathlib import Path
from typing import Any

from tools.lab.mutation.mutants import Mutant, draw_mutants
from tools.lab.mutation.trial import DRAWN, HUNG, SURVIVED, TRIED, UNREACHED, Task

ROOT = Path(__file__).resolve().parents[3]
REACH, ALIVE = "reach.json", "alive.txt"
BUDGET = 10.0
"""Seconds of processor time that the tests of one mutant may take together."""

Measured = dict[str, Any]
"""Of a test file: "key", what it was measured with; "tests", of each the "seconds" and the "lines" of each file."""


@dataclass(frozen=True)
class Report:
    """aim: the share that should be killed. hung: how many of the killed ran on and on. unreached: how many of the
    survivors stand in lines that no test runs. dearer: how many of the survivors have tests beyond the budget.
    survivors: the modules with most of them.
    """

    mutants: int
    sampled: int
    killed: int
    hung: int
    survived: int
    unreached: int
    dearer: int
    score: float
    aim: float
    survivors: dict[str, int]


def run(sample: int, seed: int, pattern: str, folder: Path) -> Report:
    """Tries `sample` mutants whose names match `pattern`, drawn by `seed`."""
    total, mutants = draw_mutants(ROOT, sample, seed, pattern)
    if not mutants:
        raise SystemExit(f"no mutant matches {pattern!r}")
    todo = tasks(mutants, _measure(folder))
    known = _read_tried(folder)
    left = [task for task in todo if task.key not in known]
    (folder / DRAWN).write_text(json.dumps([asdict(task) for task in left]), "utf-8")
    if left and not _python("tools.lab.mutation.trial", str(folder)):
        raise SystemExit("the trial was broken off")
    known = _read_tried(folder)
    alive = [task for task in todo if known[task.key] in {SURVIVED, UNREACHED}]
    (folder / ALIVE).write_text("\n".join(map(_difference, alive)), encoding="utf-8")
    return Report(
        mutants=total,
        sampled=len(todo),
        killed=len(todo) - len(alive),
        hung=sum(known[task.key] == HUNG for task in todo),
        survived=len(alive),
        unreached=sum(known[task.key] == UNREACHED for task in alive),
        dearer=sum(task.left > 0 for task in alive),
        score=round(1 - len(alive) / len(todo), 3),
        aim=0.85,
        survivors=dict(Counter(task.mutant.path for task in alive).most_common(8)),
    )


def _measure(folder: Path) -> dict[str, Measured]:
    """What each test file's tests reach; measured now if the file, the engine or what tests share was changed."""
    path = folder / REACH
    known: dict[str, Measured] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    files = sorted(ROOT.glob("tests/engine/**/*.py"))
    tests = [file for file in files if file.name.startswith("test_")]
    shared = [*ROOT.glob("engine/**/*.py"), *ROOT.glob("config/games/**/*"), *(set(files) - set(tests))]
    base = _digest(*(file.read_bytes() for file in sorted(shared) if file.is_file()))
    keys = {str(file.relative_to(ROOT)): _digest(base.encode(), file.read_bytes()) for file in tests}
    stale = [name for name, key in keys.items() if name not in known or known[name]["key"] != key]
    if stale:
        well = _python("tools.lab.mutation.reach", str(folder / "now.json"), *stale)
        now = json.loads((folder / "now.json").read_text("utf-8"))
        for name in stale:
            found = {test: reached for test, reached in now.items() if test.split("::")[0] == name}
            known |= {name: {"key": keys[name], "tests": found}} if found or well else {}
        path.write_text(json.dumps(known), "utf-8")
        if not well:
            raise SystemExit("a test fails without any mutant")
    return {name: known[name] for name in keys}


def tasks(mutants: Sequence[Mutant], measured: dict[str, Measured]) -> list[Task]:
    """The quickest of the tests that reach each mutant, within the budget."""
    reaching: dict[tuple[str, int], set[str]] = defaultdict(set)
    seconds: dict[str, float] = {}
    for file in measured.values():
        for test, found in file["tests"].items():
            seconds[test] = found["seconds"]
            for path, lines in found["lines"].items():
                for line in lines:
                    reaching[path, line].add(test)
    todo = []
    for mutant in mutants:
        tests = set().union(*(reaching[mutant.path, line] for line in mutant.lines))
        dearest_last = sorted(tests, key=lambda test: (seconds[test], test))
        sums = accumulate(seconds[test] for test in dearest_last)
        kept = [test for test, spent in zip(dearest_last, sums, strict=True) if spent <= BUDGET]
        files = sorted({test.split("::")[0] for test in kept})
        key = _digest(mutant.source.encode(), *(part.encode() for f in files for part in (f, measured[f]["key"])))
        todo.append(Task(mutant, key, kept, sum(seconds[test] for test in kept), len(tests) - len(kept)))
    return todo


def _read_tried(folder: Path) -> dict[str, str]:
    path = folder / TRIED
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {found["key"]: found["how"] for found in map(json.loads, lines)}


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _python(*words: str) -> bool:
    """Runs a module, and says whether all went well; what it prints is for who watches."""
    return not subprocess.run([sys.executable, "-m", *words], cwd=ROOT, stdout=sys.stderr, check=False).returncode


def _difference(task: Task) -> str:
    old = (ROOT / task.mutant.path).read_text("utf-8").splitlines()
    lines = unified_diff(old, task.mutant.source.splitlines(), n=0, lineterm="")
    changed = "\n".join(line for line in lines if not line.startswith(("---", "+++")))
    return f"{task.mutant.name} ({len(task.tests)} tests, {task.left} too dear)\n{changed}\n"


def _page(report: Report, seed: int) -> str:
    rows = "\n".join(f"| … in `{module}` | {count} |" for module, count in report.survivors.items())
    return f"""# Mutation report

`make mutate` makes one small change (a mutant) to the engine at a time and counts how often a test fails. mutmut
generates the changes. The tests that run the changed statement are run against it, quickest first, for up to
{BUDGET:.0f} s of processor time. A mutant that only slower tests would kill counts as a survivor, so the score is a
lower bound.

**{report.score:.1%}** of the mutants were killed: {report.killed} of {report.sampled} (aim: {report.aim:.0%}).
The sample was drawn from {report.mutants} mutants with seed {seed}.

| | mutants |
|---|---|
| killed because the tests did not end | {report.hung} |
| survived | {report.survived} |
| … in statements that no test runs | {report.unreached} |
| … with tests that the time did not allow | {report.dearer} |
{rows}

`--folder DIR` keeps the work there: an interrupted run continues, and `alive.txt` lists the survivors.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation testing of engine/ on a random sample.")
    parser.add_argument("--sample", type=int, default=300, help="mutants to try (300)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--only", default="", help="a pattern that the mutants' names must match, such as tellstones")
    parser.add_argument("--folder", type=Path, help="keep the work here, with the survivors in alive.txt")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        report = run(given.sample, given.seed, given.only, folder)
    print(json.dumps(asdict(report), indent=2) if given.json else _page(report, given.seed))
    return int(report.score < report.aim)
