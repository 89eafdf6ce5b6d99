"""Which tests reach which line of the engine, and what each of them takes.

`python -m tools.lab.mutation.reach OUT TEST_FILE...`, in a process of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import coverage
import pytest

CHOICE = ("-m", "not soak", "-s", "-p", "no:cacheprovider", "--timeout", "0")
"""Without pytest's limit of wall time: on a busy machine a slow test would look like a failing one."""

Lines = dict[str, dict[str, list[int]]]


def forget() -> None:
    """Empties the engine's caches, so that a test reaches what it would reach alone."""
    for name, module in list(sys.modules.items()):
        if name.startswith("engine."):
            for thing in vars(module).values():
                if hasattr(thing, "cache_clear"):
                    thing.cache_clear()


class Reach:
    """A pytest plugin. seconds: processor time of each test. failed: the files in which one fails."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.coverage = coverage.Coverage(data_file=None, source=["engine"], messages=False)
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Runs one test under its name."""
        forget()
        self.coverage.switch_context(item.nodeid)
        began = process_time()
        result = yield
        self.seconds[item.nodeid] = process_time() - began
        self.coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remembers where a test fails."""
        if report.failed:
            self.failed.add(report.nodeid.split("::")[0])

    def lines(self) -> Lines:
        """Of each test, the lines of each file."""
        found: Lines = {name: {} for name in self.seconds}
        data = self.coverage.get_data()
        for path in data.measured_files():
            inside = str(Path(path).relative_to(self.root))
            for line, tests in data.contexts_by_lineno(path).items():
                for test in filter(None, tests):
                    found[test].setdefault(inside, []).append(line)
        return found


def main() -> int:
    """Runs the tests and writes {test: {"seconds", "lines": {file: [line]}}} of all files in which none fails."""
    out, *files = sys.argv[1:]
    reach = Reach(Path.cwd())
    reach.coverage.start()
    code = pytest.main([*CHOICE, *files], plugins=[reach])
    reach.coverage.stop()
    lines = reach.lines()
    told = {test: {"seconds": seconds, "lines": lines[test]} for test, seconds in reach.seconds.items()}
    told = {test: reached for test, reached in told.items() if test.split("::")[0] not in reach.failed}
    Path(out).write_text(json.dumps(told), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
