"""Virtual tables of a club: each plays by itself and writes down what it said, and none plays without a club."""

from __future__ import annotations

import asyncio
from math import inf
from pathlib import Path

import msgspec
import pytest

from device.bus.public import Public
from device.clock import WallClock
from device.club.club import NoClub
from device.evidence.record import read
from device.evidence.verdict import Result, verify
from device.sim.harness.plan import panels_of
from device.sim.live import hall, unseen
from device.sim.live.unseen import Diary, Plan, Unseen
from device.version import version
from tests.device.cli.refusing import refused
from tools.tampering import known


@pytest.mark.thorough
@pytest.mark.parametrize("game", ["fence", "tellstones"])
def test_a_table_plays_a_match_and_writes_down_what_it_said(game: str, tmp_path: Path) -> None:
    plan = Plan(str(tmp_path), "table-7", game, seed=3, speed=inf)
    settings = panels_of(2, "own", tmp_path / "match")
    settings.state_dir.mkdir()
    settings = msgspec.structs.replace(settings, runtime_dir=tmp_path / "run", name=plan.name)

    async def play() -> None:
        public = Public(settings.runtime_dir / "public", WallClock())
        await Unseen(plan, settings, plan.seed, public, Diary(tmp_path)).play()

    asyncio.run(play())
    (path,) = (tmp_path / unseen.SAID).iterdir()
    record = read(path.read_bytes())
    assert (record.opening.table, record.opening.game) == ("table-7", game)
    assert len(record.links) > 5
    found = verify(record, known(game), version())
    assert found.wrong is None
    assert found.result is not Result.REFUSED


def test_without_a_club_nobody_plays(tmp_path: Path) -> None:
    with pytest.raises(NoClub, match="`referee club` makes one"):
        hall.added(2, tmp_path / "club", tmp_path / "tables", 1)


def test_what_does_not_go_with_many_tables_is_refused() -> None:
    assert "real time" in refused("simulate", "--tables", "2", "--headless")
