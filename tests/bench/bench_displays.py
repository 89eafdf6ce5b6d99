"""Bytes that a display gets for a change of screen, against luma's own whole frame.

`python -m tests.bench.bench_displays` presses through Tellstones with the shipped session, in every language, and sends
each display what its keeper would: the first page of a screen that changed. Without a turn clock: its digits would be
cheap changes. `turns` is the same for the turning of pages. Aim for `ratio`: at most 0.35.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

import luma.oled.device
import msgspec
from PIL import Image

from device.displays.oled import Oled
from device.locale import LANGUAGES
from device.screens.render import pages
from device.screens.screen import Screen
from device.settings.table import Display, I2c
from device.sim.hardware.oled import SimulatedOled
from tests.device.screens.sitting import sitting

CONTROLLERS = {"ssd1306": (128, 64), "sh1106": (128, 64), "ssd1322": (256, 64)}


def measure(controller: str, seeds: int = 1, presses: int = 400) -> dict[str, Any]:
    """Mean and median bytes a change for one controller, and the time to draw a screen."""
    changes, turns, drawing = list[int](), list[int](), list[float]()
    for language in LANGUAGES:
        for seed in range(seeds):
            _sitting(controller, language, seed, presses, changes, turns, drawing)
    whole = _frame(controller)
    return {
        "changes": len(changes),
        "whole_frame_bytes": whole,
        "mean_bytes": round(statistics.mean(changes)),
        "ratio": round(statistics.mean(changes) / whole, 3),
        "median_ratio": round(statistics.median(changes) / whole, 3),
        "turns": {"pages": len(turns), "ratio": round(statistics.mean(turns) / whole, 3)},
        "draw_ms": round(1000 * statistics.median(drawing), 2),
    }


def _sitting(
    controller: str,
    language: str,
    seed: int,
    presses: int,
    changes: list[int],
    turns: list[int],
    drawing: list[float],
) -> None:
    """One sitting; its figures are added to the lists."""
    displays: dict[str, tuple[Oled, SimulatedOled]] = {}
    before: dict[str, Screen] = {}
    for name, clocked, _ in sitting("tellstones", seed, presses, language):
        screen = msgspec.structs.replace(clocked, clocks=())
        if before.get(name) == screen:
            continue
        before[name] = screen
        started = time.perf_counter()
        drawn = pages(screen, CONTROLLERS[controller], language)
        drawing.append(time.perf_counter() - started)
        if name not in displays:
            displays[name] = _display(controller)
        changes.append(_sent(*displays[name], drawn[0]))
        if len(drawn) > 1:
            turns += [_sent(*displays[name], page) for page in (*drawn[1:], drawn[0])]
    for oled, _ in displays.values():
        oled.close()


def _display(controller: str) -> tuple[Oled, SimulatedOled]:
    wire = SimulatedOled(controller, CONTROLLERS[controller])
    return Oled(Display(I2c(), controller=controller), wire), wire  # type: ignore[arg-type]


def _sent(oled: Oled, wire: SimulatedOled, page: Image.Image) -> int:
    before = wire.received
    oled.show(page)
    return wire.received - before


def _frame(controller: str) -> int:
    """What luma's own display() sends for one frame."""
    size = CONTROLLERS[controller]
    wire = SimulatedOled(controller, size)
    device = getattr(luma.oled.device, controller)(wire, width=size[0], height=size[1], mode="1")
    before = wire.received
    device.display(Image.new("1", size, 1))
    return wire.received - before


def bench() -> dict[str, Any]:
    """The figure of `make bench`."""
    return {"display_bytes": {controller: measure(controller) for controller in CONTROLLERS}}


if __name__ == "__main__":
    print(json.dumps(bench(), indent=2))
