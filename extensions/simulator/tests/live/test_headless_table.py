"""Tables of a simulated hall."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from device.clock import WallClock
from referee_simulator.harness.plan import panels_of
from referee_simulator.live.headless_table import CLOCK, DIARY, Diary, Noting, Page, Plan, Unseen


class LongAgo(WallClock):
    """The clock of a machine that was switched on long before its tables."""

    def now(self) -> float:
        return super().now() + 1e6


def test_clocks_that_run_are_told_by_the_time_of_the_table_not_of_the_machine(tmp_path: Path) -> None:
    async def opening() -> None:
        diary = Diary(tmp_path)
        public = Noting(tmp_path / "public", LongAgo(), diary)
        settings = msgspec.structs.replace(panels_of(2, "own", tmp_path), clock=CLOCK)
        table = Unseen(Plan(str(tmp_path), "One", "tellstones", 1, speed=1e6), settings, 1, public, diary)
        serving = asyncio.ensure_future(public.run())
        playing = asyncio.ensure_future(table.play())
        while not any(page.left for page in pages(tmp_path)):
            await asyncio.sleep(0.01)
        for task in (playing, serving):
            task.cancel()
            await asyncio.wait([task])

    asyncio.run(opening())
    first = next(page.left for page in pages(tmp_path) if page.left)
    assert all(3500 < left <= 3600 for left in first)


def pages(folder: Path) -> list[Page]:
    path = folder / DIARY
    return [msgspec.json.decode(line, type=Page) for line in path.read_bytes().splitlines()] if path.exists() else []
