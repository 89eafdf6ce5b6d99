"""A day at one table, in simulated time, with displays that lose some of what is sent: memory must not grow.

    python -m tools.soak --hours 24 --loss 0.05 --seed 7 --json

Two players have the buttons in their hands all day: they play a match, and leaf through what the displays offer before
and after it. The whole daemon runs; pins, displays and time are simulated.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import random
import sys
import time
from pathlib import Path

import msgspec

from device.daemon import assembly
from device.key_gestures import Button
from device.temporary_folders import scratch
from referee_simulator.harness.plan import panels_of
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.pressers import Pressers
from referee_simulator.players.world import Course, Pause, Tap
from tools import longrun

GAP_S = 20.0
"""Between one handful of presses and the next."""

WARM_S = 3600.0
"""After the first hour everything has been loaded that is loaded late."""

MOST_MB = 2.0
"""What memory may grow by after the first hour."""


class Soak(msgspec.Struct, frozen=True):
    """start_mb, warm_mb, end_mb: memory of the process (PSS) at power-on, after the first hour, and at the end."""

    hours: float
    loss: float
    presses: int
    entries: int
    display_writes: int
    start_mb: float
    warm_mb: float
    end_mb: float
    grown_mb: float
    seconds: float


class Day(Pressers):
    """Players who stay for a whole day."""

    def day(self, until: float, seed: int) -> Course:
        dice = random.Random(f"{seed}/day")
        match = self.whole_match({})
        while self._world.now < until:
            yield Pause(GAP_S)
            for wish in match:
                yield wish
                if dice.random() < 0.2:
                    break
            else:
                for _ in range(dice.randrange(6)):
                    yield Tap(dice.choice("ab"), dice.choice((Button.NEXT, Button.BACK)))


def memory_mb() -> float:
    """This process's share of memory (PSS), in megabytes."""
    gc.collect()
    for line in Path("/proc/self/smaps_rollup").read_text("utf-8").splitlines():
        if line.startswith("Pss:"):
            return round(int(line.split()[1]) / 1024, 2)
    raise OSError("/proc/self/smaps_rollup has no line Pss")


async def soak(hours: float, loss: float, seed: int, folder: Path) -> Soak:
    """Plays through so many simulated hours."""
    begun, settings = time.monotonic(), panels_of(2, "own", folder)
    world = Timed(settings, seed=seed, rules=assembly.session_table(settings))
    for oled in world.oleds.values():
        oled.lose_some(loss)
    players = Day(world, world.referee.core.table.games["tellstones"], 2, seed)
    marks: list[float] = []

    def mark_memory() -> Course:
        marks.append(memory_mb())
        yield from players.day(WARM_S, seed)
        marks.append(memory_mb())
        yield from players.day(hours * 3600.0, seed + 1)
        marks.append(memory_mb())
        entries.append(len(world.entries()))

    entries: list[int] = []
    await world.run(mark_memory())
    start, warm, end = marks
    writes = sum(oled.writes for oled in world.oleds.values())
    return Soak(
        hours, loss, world.pins.presses, entries[0], writes, start, warm, end, round(end - warm, 2),
        round(time.monotonic() - begun, 1),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=24.0, help="simulated hours (24)")
    parser.add_argument("--loss", type=float, default=0.05, help="share of the displays' writes that get lost (0.05)")
    parser.add_argument("--seed", type=int, default=1, help="of all random choices (1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    if given.hours * 3600.0 <= WARM_S:
        parser.error("--hours: more than one, since the first is for warming up")
    logging.disable(logging.WARNING)
    with scratch() as folder:
        result = asyncio.run(soak(given.hours, given.loss, given.seed, folder))
    longrun.show(result, given.json)
    return int(result.grown_mb > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
