"""Bytes that a display gets for a change of screen, against luma's own whole frame.

`python -m tools.bench.bench_displays` presses through Tellstones with the shipped session, in every language, and sends
each display what its keeper would: the first page of a screen that changed. Without a turn clock: its digits would be
cheap changes. `turns` is the same for the turning of pages. `luma_diff_bytes`: what luma's own framebuffer sends for
the same changes, where luma has one, cut into as many parts as serve it best. Aim for `ratio`: at most 0.35, and never
more than luma.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

import luma.oled.device
import msgspec
from luma.core.framebuffer import diff_to_previous
from PIL import Image

from device.displays.oled import Oled
from device.locale import LANGUAGES
from device.screens.render import pages
from device.screens.screen import Screen
from device.settings.table import Display, I2c
from referee_simulator.hardware.oled import SimulatedOled
from tests.device.screens.sitting import sitting

SEGMENTS = (4, 16, 64)
"""Into so many parts luma's framebuffer can cut a picture."""

CONTROLLERS = {"ssd1306": (128, 64), "sh1106": (128, 64), "ssd1322": (256, 64)}


def measure(controller: str, seeds: int = 1, presses: int = 400) -> dict[str, Any]:
    """Mean and median bytes a change for one controller, and the time to draw a screen."""
    changes, turns, drawing = list[int](), list[int](), list[float]()
    theirs: dict[int, list[int]] = {segments: [] for segments in SEGMENTS if controller == "ssd1322"}
    for language in LANGUAGES:
        for seed in range(seeds):
            shown = _sitting(controller, language, seed, presses, changes, turns, drawing)
            for segments, sent in theirs.items():
                sent += [size for drawn in shown.values() for size in _by_luma(controller, segments, drawn)]
    whole = _frame(controller)
    return {
        "changes": len(changes),
        "whole_frame_bytes": whole,
        "mean_bytes": round(statistics.mean(changes)),
        "luma_diff_bytes": round(min((statistics.mean(sent) for sent in theirs.values()), default=whole)),
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
) -> dict[str, list[Image.Image]]:
    """One sitting; its figures are added to the lists. What was shown on each display, in order."""
    displays: dict[str, tuple[Oled, SimulatedOled]] = {}
    before: dict[str, Screen] = {}
    shown: dict[str, list[Image.Image]] = {}
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
        changes.append(_count_sent(*displays[name], drawn[0]))
        shown.setdefault(name, []).append(drawn[0])
        if len(drawn) > 1:
            turns += [_count_sent(*displays[name], page) for page in (*drawn[1:], drawn[0])]
    for oled, _ in displays.values():
        oled.close()
    return shown


def _display(controller: str) -> tuple[Oled, SimulatedOled]:
    wire = SimulatedOled(controller, CONTROLLERS[controller])
    return Oled(Display(I2c(), controller=controller), wire), wire


def _count_sent(oled: Oled, wire: SimulatedOled, page: Image.Image) -> int:
    before = wire.received
    oled.show(page)
    return wire.received - before


def _by_luma(controller: str, segments: int, drawn: list[Image.Image]) -> list[int]:
    """Bytes that luma sends for each picture after the one before."""
    size = CONTROLLERS[controller]
    wire = SimulatedOled(controller, size)
    make = getattr(luma.oled.device, controller)
    device = make(wire, width=size[0], height=size[1], mode="1", framebuffer=diff_to_previous(segments))
    sent = []
    for picture in drawn:
        before = wire.received
        device.display(picture)
        sent.append(wire.received - before)
    return sent


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
