"""What can be seen on the displays of a machine, by what went over its buses."""

from __future__ import annotations

import time

from tools.machine.guest.oled import Displays
from tools.machine.qemu import Machine, MachineError

DARK_S = 5.0
"""From kill -9 to dark displays here, where a processor is emulated and shared."""


def read_displays(machine: Machine) -> Displays:
    displays = Displays()
    displays.feed(machine.log())
    return displays


def until_lit(machine: Machine, count: int, seconds: float) -> float:
    """Waits until so many displays show something: the service is ready, and has noted what it lights, before any has
    a screen. seconds: times the machine's pace. How many it took. Raises MachineError."""
    begun, seconds = time.monotonic(), seconds * machine.pace
    while len(lit := read_displays(machine).lit_displays()) != count:
        if time.monotonic() > begun + seconds:
            raise MachineError(f"{lit} are lit, not {count} displays, after {seconds:.0f} s")
        time.sleep(0.5)
    return time.monotonic() - begun


def seconds_to_dark(machine: Machine, since: int) -> float | None:
    """From a moment in ns until nothing can be seen on any display; None: something always could."""
    displays = Displays()
    for ns, _ in displays.steps(machine.log()):
        if ns >= since and not displays.lit_displays():
            return round((ns - since) / 1e9, 2)
    return None
