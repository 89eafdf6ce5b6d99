"""How many faults the engine's tests would notice: `make mutate` (mutmut on a random sample of mutants).

Works in a copy of the checkout, prints the figures (as JSON with --json), and keeps docs/mutation.md current. With
--folder the copy is kept, and a run that was broken off goes on with the mutants that it has not tried.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.quickest_first import SHARE

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("engine", "config", "docs", "tests", "device", "vision", "tools", "pyproject.toml", "README.md")
STATUS = re.compile(r"^\s*(\S+__mutmut_\d+):\s*(.+?)\s*$")
BATCH = 50


@dataclass(frozen=True)
class Report:
    """aim: the share that should be killed. survivors: the modules with most of them."""

    mutants: int
    sampled: int
    killed: int
    survived: int
    score: float
    aim: float
    survivors: dict[str, int]


def run(sample: int, seed: int, pattern: str, folder: Path) -> Report:
    """Tries `sample` mutants of the modules that match `pattern`, drawn by `seed`."""
    if not (folder / "mutants").exists():
        _copy(folder)
        _mutmut(folder, "run", "no.such.mutant")
    every = sorted(name for name in _results(folder) if re.search(pattern, name))
    if not every:
        raise SystemExit(f"no mutant matches {pattern!r}")
    drawn = random.Random(seed).sample(every, min(sample, len(every)))
    tried = _results(folder)
    left = [name for name in drawn if tried[name] == "not checked"]
    for start in range(0, len(left), BATCH):
        _mutmut(folder, "run", "--max-children", "1", *left[start : start + BATCH])
        print(f"{min(start + BATCH, len(left))} of {len(left)} mutants", file=sys.stderr, flush=True)
    found = {name: status for name, status in _results(folder).items() if name in set(drawn)}
    alive = [name for name, status in found.items() if status not in {"killed", "timeout", "segfault"}]
    (folder / "alive.txt").write_text("\n".join(sorted(alive)), encoding="utf-8")
    modules = Counter(name.rsplit(".", 1)[0] for name in alive)
    killed = len(drawn) - len(alive)
    return Report(
        len(every), len(drawn), killed, len(alive), round(killed / len(drawn), 3), 0.85, dict(modules.most_common(8))
    )


def _copy(folder: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)


def _results(folder: Path) -> dict[str, str]:
    lines = _mutmut(folder, "results", "--all", "true").splitlines()
    return {found[1]: found[2] for line in lines if (found := STATUS.match(line))}


def _mutmut(folder: Path, *words: str) -> str:
    command = [sys.executable, "-W", "ignore", "-m", "mutmut", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def _page(report: Report, seed: int) -> str:
    rows = "\n".join(f"| `{module}` | {count} |" for module, count in report.survivors.items())
    return f"""# Mutation report

`make mutate` changes the engine in one small way at a time and counts how often a test notices. Each change is held
against the quickest of the tests that run the changed function, within {SHARE:.0%} of the time of the whole suite
(`tools/quickest_first.py`): what only slower tests would notice counts as unnoticed, so the score is a lower bound.

{report.killed} of {report.sampled} sampled mutants were killed: **{report.score:.1%}** (aim: {report.aim:.0%}).
There are {report.mutants} mutants in all; the sample was drawn with seed {seed}. `--folder DIR` keeps the work:
a run that was broken off goes on there.

| most survivors in | mutants |
|---|---|
{rows}
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation testing of engine/ on a random sample.")
    parser.add_argument("--sample", type=int, default=600, help="mutants to try (600)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--only", default="", help="a pattern that the mutants' names must match, such as tellstones")
    parser.add_argument("--folder", type=Path, help="work here and keep it, with the survivors' names in alive.txt")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        report = run(given.sample, given.seed, given.only, folder)
    if not given.only:
        (ROOT / "docs" / "mutation.md").write_text(_page(report, given.seed), encoding="utf-8")
    print(json.dumps(asdict(report), indent=2) if given.json else _page(report, given.seed))
    return int(report.score < report.aim)


if __name__ == "__main__":
    sys.exit(main())
