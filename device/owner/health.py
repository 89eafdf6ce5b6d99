"""Describes the table's health in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from device.owner.context import Facts
from device.session.check import STARTING, trouble
from engine.table import Health
from engine.text import Text, list_texts, say, who

LITTLE_ROOM = 50_000_000
"""Free bytes below which the disk counts as nearly full."""

STEP_BYTES = 10_000_000
"""Rounding of free memory in bytes, as every change would be read aloud."""

HOT_C = 75.0
"""Degrees Celsius; a Raspberry Pi throttles from 80."""

WEAK_NOW, HOT_NOW = 0x1, 0xE
WEAK_SINCE, HOT_SINCE = 0x10000, 0xE0000
"""Flags of `vcgencmd get_throttled`: weak power and throttling, now and since the start."""


def wrong(facts: Facts) -> tuple[Text, ...]:
    """Return all faults, worst first."""
    return tuple(_wrong(facts))


def _wrong(facts: Facts) -> Iterator[Text]:
    if facts.safe:
        yield say("Safe mode: the last start failed. Switch the table off and on.")
    if not facts.saved:
        yield say("Nothing is saved: the disk can't be written to.")
    if facts.free_bytes is not None and facts.free_bytes < LITTLE_ROOM:
        yield say("The disk is nearly full: {mb} MB are free.", mb=facts.free_bytes // 1_000_000)
    for name in sorted(each for each, answers in facts.displays.items() if not answers):
        yield say("Display “{name}” is not responding. Check its wires.", name=_display(name))
    if facts.looks and facts.camera is not Health.OK:
        yield _camera(facts.camera)
    if facts.looks and facts.sets and not any(each.done for each in facts.sets):
        yield say("No pieces are enrolled yet: the camera follows them, but cannot name them.")
    missing = [name for name, workers in (facts.pages or {}).items() if not workers]
    if missing:
        names = list_texts(map(_page, missing))
        yield say("Some pages are not running: {names}. Switch the table off and on.", names=names)
    if facts.throttled is not None and facts.throttled & WEAK_NOW:
        yield say("The power supply is too weak. Use the one made for this board.")
    if facts.heat_c is not None and facts.heat_c >= HOT_C:
        yield say("The board is hot: {heat} °C. Improve its cooling.", heat=round(facts.heat_c))


def _camera(health: Health | None) -> Text:
    return STARTING if health is None else trouble(health)


def status(facts: Facts) -> tuple[Text, ...]:
    """Return the table's state, one line per fact."""
    return tuple(_status(facts))


def _status(facts: Facts) -> Iterator[Text]:
    yield from _parts(facts)
    if facts.heat_c is not None:
        yield say("Temperature: {heat} °C", heat=round(facts.heat_c))
    if facts.throttled is not None:
        yield _throttling_text(facts.throttled)
    if facts.free_bytes is not None:
        yield say("Free disk space: {mb} MB", mb=facts.free_bytes // 1_000_000)
    if facts.free_memory_bytes is not None:
        yield say("Free memory: {mb} MB", mb=facts.free_memory_bytes // STEP_BYTES * 10)
    if facts.version:
        yield say("Version {version}", version=facts.version)


def _parts(facts: Facts) -> Iterator[Text]:
    there = sorted(name for name, answers in facts.displays.items() if answers)
    if there:
        yield say("Displays connected: {names}", names=list_texts(map(_display, there)))
    if not facts.looks:
        yield say("No camera: each move is entered")
    elif facts.frame_ms:
        yield say("Last camera analysis: {ms} ms", ms=round(facts.frame_ms))
    for known in facts.sets:
        if known.done:
            yield say("Enrolled: {set}", set=known.title)


def _throttling_text(flags: int) -> Text:
    if flags & (WEAK_NOW | HOT_NOW):
        return say("Slowed down now by heat or weak power")
    if flags & (WEAK_SINCE | HOT_SINCE):
        return say("Slowed down since the start by heat or weak power")
    return say("Not slowed down since the start")


def _page(audience: str) -> Text:
    return {"owner": say("owner"), "camera": say("camera")}.get(audience) or _display(audience)


def _display(name: str) -> Text:
    return {"table": say("table"), "shared": say("shared")}.get(name, who(name))
