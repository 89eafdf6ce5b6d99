"""What a press costs until its screens are sent, in thousands of instructions: `python -m tools.bench.bench_press`.

Two players press through Tellstones from power-on, without a camera, at a display each (128 x 64, I2C): the mean of
PRESSES presses, each of them a contact that closes and opens. `session`: what follows from it, the journal written and
the screens as data; `drawing`: their pixels; `sending`: what differs from what the displays hold, without the wire.
Most screens are seen for the first time, as in a match. Counted by valgrind, two minutes on an idle processor.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from device import games
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports
from device.displays.oled import Oled
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.screens.render import pages
from device.screens.screen import Screen
from device.session.state import Play
from device.session.table import KnownGame, Table
from device.settings.table import Display, I2c
from tests.device.screens.sitting import aim
from tools.bench.instructions import count, print_figures

PRESSES = 60
STAGES = ("session", "drawing", "sending")
CODE = "import sys; from tools.bench import bench_press; bench_press.play(int(sys.argv[1]), sys.argv[2])"


class Nowhere:
    """A wire with nothing behind it."""

    def command(self, *cmd: int) -> None: ...

    def data(self, data: list[int]) -> None: ...

    def cleanup(self) -> None: ...


class Glass:
    """Two displays; each screen goes as far as `stage`."""

    def __init__(self, stage: str) -> None:
        self.screens: dict[str, Screen] = {}
        self._far = STAGES.index(stage)
        self._oleds = {name: Oled(Display(I2c()), Nowhere()) for name in "ab"}

    def show(self, display: str, screen: Screen, language: str) -> None:
        self.screens[display] = screen
        if self._far:
            oled = self._oleds[display]
            first, *_ = pages(screen, oled.size, language)
            if self._far > 1:
                oled.show(first)


def play(presses: int, stage: str) -> None:
    """So many presses after power-on, each as far as that stage."""
    spec, dice, now = games.spec("tellstones"), random.Random(1), 0.0
    table = Table(("a", "b"), {spec.name: KnownGame(spec, *games.build(spec))})
    glass, seat, wanted = Glass(stage), "a", list[Button]()
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.db") as journal:
        core = Core(table, Store(journal), simulated_chance(1), Ports(outlets=(glass.show,)), now=lambda: now)
        for _ in range(presses):
            if not wanted:
                begun = isinstance(core.session.stage, Play)
                seat = dice.choice(table.panels) if begun else "a"
                wanted = aim(glass.screens[seat], dice) if begun else [Button.CHOOSE]
            button = wanted.pop(0)
            for gesture, later in ((Gesture.DOWN, 0.7), (Gesture.UP, 0.1), (Gesture.PRESS, 0.0)):
                now += later
                core.take(Key(seat, button, gesture, now))


def measure() -> dict[str, int]:
    """Thousands of instructions of this machine for one press."""
    everything = f"from tools.bench import bench_press; bench_press.play({PRESSES}, {STAGES[-1]!r})"
    found, before = dict[str, int](), 0
    for stage in STAGES:
        spent = count(CODE, (str(PRESSES), stage), imports=everything) - count(CODE, ("0", stage))
        found[stage], before = round((spent - before) / PRESSES / 1e3), spent
    return {**found, "together": round(before / PRESSES / 1e3)}


if __name__ == "__main__":
    print_figures(__doc__, measure)
