"""From a hand leaving to the verdict on the display: `python -m tools.bench.bench_verdict`.

The whole daemon with its worker in simulated time, honest players at Tellstones. Simulated seconds from the end of a
hand's work to the first screen that shows the new entry, plus the processor time that daemon and worker took meanwhile,
once as it is (aim: 0.5 s) and as much as a Pi Zero 2 W would take (`tools.bench.pi_zero`; aim: 1.0 s). What the virtual
camera takes to draw does not count: the Pi has a real one.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import msgspec

from device.daemon import assembly
from device.screens.screen import Screen
from engine.catalogue import complete
from extensions.simulator.tests.tables import MAT
from referee_simulator.harness.enrol import enrol
from referee_simulator.harness.plan import settings_of
from referee_simulator.harness.sights import PictureSight
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.players import Manner, Players
from referee_simulator.players.world import Handle, Wish
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import set_out
from referee_simulator.table.virtual import VirtualTable
from tools.bench.pi_zero import slower
from vision.camera import Frame

SEATS = ("a", "b")


class Latency(msgspec.Struct, frozen=True):
    """Seconds from a hand's leaving to its verdict: simulated, and of processor time."""

    simulated: float
    processor: float


class Watched(Timed):
    """Notes when hands have left, and when a display first shows what came of it."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self.latencies: list[Latency] = []
        self._left: tuple[float, float] | None = None
        self._handled = False
        self._mark, self._drawing = 0, 0.0
        super().__init__(*args, **named)
        drawn = self.table.frame

        def frame(at: float, dimmed: float = 0.0) -> Frame | None:
            began = time.process_time()
            picture = drawn(at, dimmed)
            self._drawing += time.process_time() - began
            return picture

        self.table.frame = frame  # type: ignore[method-assign]  # counted apart

    async def _grant(self, wish: Wish) -> None:
        self._handled, self._left, self._mark = isinstance(wish, Handle), None, len(self.entries())
        await super()._grant(wish)

    async def _run_to(self, until: float) -> None:
        await super()._run_to(until)
        if self._handled and self._left is None:
            self._left = self.now, self._processor()

    def _publish(self, display: str, screen: Screen, language: str) -> None:
        super()._publish(display, screen, language)
        if self._left is not None and len(self.entries()) > self._mark:
            at, processor = self._left
            self.latencies.append(Latency(self.now - at, self._processor() - processor))
            self._left, self._handled = None, False

    def _processor(self) -> float:
        """Processor seconds of this process, without the drawing, and of the worker."""
        return time.process_time() - self._drawing + _worker_s()


def measure(matches: int = 2, actions: int = 12) -> dict[str, Any]:
    """Takes a minute."""
    cv2.setNumThreads(1)
    times = slower()
    found = [latency for seed in range(1, matches + 1) for latency in _match(seed, actions)]
    simulated = [each.simulated for each in found]
    return {
        "verdicts": len(found),
        "simulated_s_median": round(statistics.median(simulated), 2),
        "processor_s_median": round(statistics.median(each.processor for each in found), 3),
        "verdict_s_median": round(statistics.median(each.simulated + each.processor for each in found), 2),
        "pi_zero_slower": round(times, 1),
        "verdict_pi_zero_s_median": round(
            statistics.median(each.simulated + times * each.processor for each in found), 2
        ),
        "verdict_pi_zero_s_worst": round(max(each.simulated + times * each.processor for each in found), 2),
    }


def _match(seed: int, actions: int) -> list[Latency]:
    with tempfile.TemporaryDirectory(prefix="table-referee-") as name:
        folder = Path(name)
        enrol(MAT, "stones", 100 + seed, folder / "enrolled" / "stones")
        settings = settings_of(len(SEATS), folder)
        rules = assembly.session_table(settings)
        known, scene = rules.games["tellstones"], draw(load_scenes()["normal"], seed)
        start = known.game.setup(complete(known.spec.options, {}), SEATS, seed)
        maintenance = care_in(scene)
        truth = set_out(known.game.layout(start), MAT, random.Random(seed), maintenance)

        async def play() -> list[Latency]:
            table = VirtualTable(MAT, truth, scene, MAT.sides["2"])
            world = Watched(settings, seed=seed, rules=rules, sight=PictureSight(table, settings))
            manner = Manner(press_rate=0.0, gesture_rate=0.0, longest=actions)
            await world.run(Players(world, known, SEATS, seed, manner).whole_match({}))
            return world.latencies

        return asyncio.run(play())


def _worker_s() -> float:
    """Processor seconds of this process's children that run now."""
    total = 0
    own = os.getpid()
    for child in Path(f"/proc/{own}/task/{own}/children").read_text(encoding="utf-8").split():
        fields = Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
