"""Matches in several processes at once."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from referee_simulator.harness.processes import spread


def test_what_stops_the_whole_ends_every_process() -> None:
    others = set(multiprocessing.active_children())
    running = spread(time.sleep, {7: 0.0, 8: 300.0}, jobs=2)
    assert next(running) == (7, None)
    running.close()
    assert set(multiprocessing.active_children()) == others


def test_a_process_that_is_killed_takes_its_players_along() -> None:
    code = "import time; from referee_simulator.harness.processes import spread; "
    code += "list(spread(time.sleep, {1: 0.0, 2: 300.0, 3: 300.0}, jobs=2))"
    whole = subprocess.Popen([sys.executable, "-c", code])
    try:
        children = _eventually(lambda: [each for each in _children(whole.pid) if _plays(each)])
        whole.send_signal(signal.SIGTERM)
        whole.wait(30)
        _eventually(lambda: not any(_plays(each) for each in children))
    finally:
        whole.kill()


def _children(parent: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def _plays(process: int) -> bool:
    try:
        return "spawn_main" in Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return False


T = TypeVar("T")


def _eventually(found: Callable[[], T]) -> T:
    for _ in range(600):
        if (value := found()) and (not isinstance(value, list) or len(value) == 2):
            return value
        time.sleep(0.05)
    raise AssertionError("it never came")


def test_one_job_works_in_this_process() -> None:
    assert list(spread(lambda task: task * 2, {1: 10, 2: 20}, jobs=1)) == [(1, 20), (2, 40)]
