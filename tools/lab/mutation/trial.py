"""Tries each mutant against the tests that reach it, in its own process: `python -m tools.lab.mutation.trial FOLDER`.

The tests are collected once; each mutant is then tried in a fork, quickest test first, until one fails. A mutant has
only processor time to lose: how busy the machine is decides nothing.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

import hypothesis
import pytest

from tools.lab.mutation.mutants import Mutant, install
from tools.lab.mutation.reach import CHOICE, forget

DRAWN, TRIED = "drawn.json", "tried.jsonl"
KILLED, HUNG, SURVIVED, UNREACHED = "killed", "hung", "survived", "unreached"

PATIENCE = 5.0
"""A mutant whose tests take so many times what they took before hangs."""

CONTROLS = 3
"""So many functions are first replaced by themselves."""

MEMORY = 8 << 30
"""Bytes of address space: one that grows and grows fails a test instead of the machine."""


@dataclass(frozen=True)
class Task:
    """key: what would have to change to make another trial worth while. tests: those that reach the mutant, quickest
    first. seconds: what they take together. left: how many more there are, which would be too dear.
    """

    mutant: Mutant
    key: str
    tests: list[str]
    seconds: float
    left: int


class Trial:
    """A pytest plugin that runs tasks instead of the tests that it was given."""

    def __init__(self, tasks: Sequence[Task], out: Path) -> None:
        self.tasks, self.out = tasks, out
        self.failed = ""
        self.items: dict[str, pytest.Item] = {}

    def pytest_configure(self) -> None:
        """A property that fails has said enough: no smaller example is looked for, none is kept for other mutants."""
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        hypothesis.settings.register_profile("mutants", database=None, phases=phases)
        hypothesis.settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remembers what failed."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Tries each mutant, and before and after that some tests without any: they must not fail."""
        self.items = {item.nodeid: item for item in session.items}
        gc.collect()
        gc.freeze()
        for task in [task for task in self.tasks if task.tests][:CONTROLS]:
            same = replace(task.mutant, source=Path(task.mutant.path).read_text("utf-8"))
            self._must_survive(*self._fork(same, task.tests, task.seconds))
        killers: dict[str, None] = {}
        with self.out.open("a", encoding="utf-8") as out:
            for task in self.tasks:
                how, killer = self._fork(task.mutant, task.tests, task.seconds) if task.tests else (UNREACHED, "")
                killers.update({killer: None} if killer else {})
                print(
                    json.dumps({"key": task.key, "name": task.mutant.name, "how": how, "by": killer}),
                    file=out,
                    flush=True,
                )
        self._must_survive(*self._fork(None, list(killers), math.inf))
        return True

    def _must_survive(self, how: str, guilty: str) -> None:
        if how != SURVIVED:
            raise SystemExit(f"{guilty} fails without any mutant ({how})")

    def _fork(self, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> tuple[str, str]:
        """What became of a mutant (not unreached), and the test that killed it."""
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            code = 1
            try:
                os.close(told)
                os.write(tell, self._run(mutant, tests, seconds).encode())
                code = 0
            finally:
                if code:
                    traceback.print_exc()
                os._exit(code)
        os.close(tell)
        with os.fdopen(told, "rb") as stream:
            killer = stream.read().decode()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return (HUNG if os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL} else KILLED), ""
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"{mutant} could not be tried")
        return (KILLED if killer else SURVIVED), killer

    def _run(self, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> str:
        """In the child: the first test that fails, or nothing."""
        if math.isfinite(seconds):
            limit = math.ceil(process_time() + 5 + PATIENCE * seconds)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        forget()
        if mutant:
            install(mutant)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        items = [self.items[name] for name in tests]
        for item, following in zip(items, [*items[1:], None], strict=False):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break
        return self.failed


def main() -> int:
    """Tries what FOLDER/drawn.json tells, and adds a line for each to FOLDER/tried.jsonl."""
    folder = Path(sys.argv[1])
    told = json.loads((folder / DRAWN).read_text("utf-8"))
    tasks = [Task(**{**task, "mutant": Mutant(**task["mutant"])}) for task in told]
    files = sorted({test.split("::")[0] for task in tasks for test in task.tests})
    return int(pytest.main([*CHOICE, *files], plugins=[Trial(tasks, folder / TRIED)]))


if __name__ == "__main__":
    sys.exit(main())
