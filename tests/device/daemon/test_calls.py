"""What an input costs the core, counted in calls: they are the same on every machine, which time is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from device.session.state import Play
from tests.bench.bench_calls import CLOCKS, SECOND, Room, of_core


@pytest.fixture(params=CLOCKS)
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path, CLOCKS[request.param])
    yield made
    made.journal.close()


def test_a_report_that_tells_nothing_costs_next_to_nothing(room: Room) -> None:
    costs = sorted(room.calls(room.empty()).total() for _ in range(SECOND))
    dear = 1 if room.core.table.clock else 0  # once a second a clock shows something else
    assert costs[0] > 0
    assert costs[-1 - dear] < 20


def test_an_action_that_is_seen_enters_few_files_of_the_core(room: Room) -> None:
    assert isinstance(room.core.session.stage, Play)
    before = room.core.session.stage.match.state
    entered = of_core(room.calls(room.acted()))
    assert room.core.session.stage.match.state != before
    assert "engine/arbiter/case.py" in entered
    assert len(entered) < 25 + (room.core.table.clock != {}), sorted(entered)
