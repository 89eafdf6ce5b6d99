"""How fast the virtual camera draws, and how fast matches with ideal eyes go. `python -m tools.bench.bench_sim`"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import msgspec

from extensions.simulator.tests.tables import MAT, laid, match
from referee_simulator.render.camera import Renderer
from referee_simulator.render.hand import Hand
from referee_simulator.table.ground_truth import Truth, lift
from referee_simulator.table.scenes import draw, load_scenes

SEVEN = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")


class Figures(msgspec.Struct, frozen=True):
    """Median milliseconds a frame at 1280 x 720 on one core; actions a second with ideal eyes."""

    idle_frame_ms: float
    hand_frame_ms: float
    changed_frame_ms: float
    ideal_actions_per_second: float


def measure() -> Figures:
    """Takes some ten seconds."""
    cv2.setNumThreads(1)
    renderer = Renderer(MAT, draw(load_scenes()["normal"], 3))
    table = laid(SEVEN[:4], SEVEN[4:])
    held = lift(table, 0, 25.0, 50.0, 20.0)
    body = held.body(0)
    hand = Hand("top", body.x, body.y - 10, 40.0, smear=(3.0, 6.0))
    tables = (table, Truth(table.bodies[:-1]))
    return Figures(
        _median(lambda n: renderer.frame(table, (), n / 5, n)),
        _median(lambda n: renderer.frame(held, (hand,), n / 5, n)),
        _median(lambda n: renderer.frame(tables[n % 2], (), n / 5, n)),
        _actions_per_second(),
    )


def _median(draws: Callable[[int], object]) -> float:
    spent = []
    for number in range(40):
        start = time.perf_counter()
        draws(number)
        spent.append((time.perf_counter() - start) * 1000)
    return round(statistics.median(spent), 2)


def _actions_per_second() -> float:
    start, actions = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(4):
            actions += match(Path(folder), seed)[0].tally.actions
    return round(actions / (time.perf_counter() - start), 1)


if __name__ == "__main__":
    figures = measure()
    if "--json" in sys.argv:
        print(msgspec.json.encode(figures).decode())
    else:
        for name, value in msgspec.structs.asdict(figures).items():
            print(f"{name:28} {value}")
