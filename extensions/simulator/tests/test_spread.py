"""Matches in several processes at once."""

from __future__ import annotations

import multiprocessing
import time

from referee_simulator.harness.processes import spread


def test_what_stops_the_whole_ends_every_process() -> None:
    others = set(multiprocessing.active_children())
    running = spread(time.sleep, {7: 0.0, 8: 300.0}, jobs=2)
    assert next(running) == (7, None)
    running.close()
    assert set(multiprocessing.active_children()) == others


def test_one_job_works_in_this_process() -> None:
    assert list(spread(lambda task: task * 2, {1: 10, 2: 20}, jobs=1)) == [(1, 20), (2, 40)]
