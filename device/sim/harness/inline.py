"""The daemon's core in one process and simulated time: shipped core, journal, buttons and vision, no sockets.

For quick tests, and to tell which layer is at fault. `device.sim.harness.timed` runs the whole daemon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from device.buttons.panel import Panel, Stuck
from device.daemon.core import Core
from device.journal import Journal
from device.keys import Button, Key
from device.screens.screen import BLANK, Screen
from device.session.messages import Tick
from device.session.table import Table
from device.sim.hardware.pins import Pins, Wiring
from device.sim.harness.onlookers import Onlooker
from device.sim.harness.rhythm import Rhythm
from device.sim.players.world import Course, Handle, Hold, Pause, Tap
from device.sim.table.virtual import VirtualTable
from engine.entry import Entry
from engine.table import Seat
from vision.link import Report, ToWorker

HOLD_S = 0.08
AFTER_TAP_S = 0.12


def wiring(panels: Sequence[Seat]) -> Wiring:
    """Pins for three buttons a panel."""
    pairs = [(seat, button) for seat in panels for button in (Button.BACK, Button.NEXT, Button.CHOOSE)]
    return {pair: 2 + number for number, pair in enumerate(pairs)}


class Inline:
    """A `players.world.World` that runs courses of wishes. A context manager."""

    def __init__(
        self,
        table: VirtualTable,
        rules: Table,
        journal: Path,
        eyes: Onlooker,
        *,
        seed: int,
        heard: Callable[[Report], None] = lambda _: None,
    ) -> None:
        """heard: is told of every report."""
        self._now, self.table, self._rules, self._eyes, self._heard = 0.0, table, rules, eyes, heard
        self._screens: dict[str, Screen] = {}
        self._journal = Journal(journal)
        self.pins = Pins(wiring(rules.panels), seed)
        self.rhythm = Rhythm(table)
        self._core = Core(rules, self._journal, self, now=lambda: self._now, seed=seed)
        self._panels = [self._panel(seat) for seat in rules.panels]

    def __enter__(self) -> Inline:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for panel in self._panels:
            panel.close()
        self._journal.close()

    # The world that players see.

    @property
    def now(self) -> float:
        return self._now

    def screen(self, panel: str) -> Screen:
        return self._screens.get(panel, BLANK)

    def entries(self) -> Sequence[Entry]:
        return () if self._journal.current is None else self._journal.entries(self._journal.current)

    # The core's outlet.

    def show(self, display: str, screen: Screen, language: str) -> None:
        del language
        self._screens[display] = screen

    def look(self, message: ToWorker) -> None:
        self._eyes.tell(message)

    # Time.

    def run(self, course: Course) -> None:
        """Makes wishes come true until there are no more."""
        for wish in course:
            match wish:
                case Tap(panel, button):
                    self.pins.tap(panel, button, self._now, HOLD_S)
                    self._run_to(self._now + HOLD_S + AFTER_TAP_S)
                case Hold(panel, button, down):
                    act = self.pins.press if down else self.pins.release
                    act(panel, button, self._now)
                    self._run_to(self._now + AFTER_TAP_S)
                case Pause(seconds):
                    self._run_to(self._now + seconds)
                case Handle(scripts):
                    self.table.act(scripts)
                    self._run_to(self.table.busy_until())
                    while not self.rhythm.rested(self._now):
                        self._run_to(self._now + 0.2)

    def _run_to(self, until: float) -> None:
        while (due := self._next()) <= until:
            self._now = max(self._now, due)
            self._advance()
        self._now = until

    def _next(self) -> float:
        dues = (self.pins.due(), self._core.wake_at(), *(panel.due() for panel in self._panels))
        return min((self.rhythm.next_frame(self._now), *(due for due in dues if due is not None)))

    def _advance(self) -> None:
        self.pins.advance(self._now)
        for panel in self._panels:
            if (due := panel.due()) is not None and due <= self._now:
                panel.tick()
        if self.rhythm.due(self._now):
            self._frame()
        wake = self._core.wake_at()
        if wake is not None and wake <= self._now:
            self._core.take(Tick(self._now))

    def _frame(self) -> None:
        report = self._eyes.look(self.table, self._now)
        if report is None:
            self.rhythm.missed(self._now)
            return
        self.rhythm.answered(report)
        self._heard(report)
        self._core.take(report)

    def _panel(self, seat: Seat) -> Panel:
        pins = {button: pin for (owner, button), pin in wiring(self._rules.panels).items() if owner == seat}
        return Panel(
            seat,
            pins,
            self._listen,
            now=lambda: self._now,
            post=lambda function, *given: function(*given),
            factory=self.pins.factory,
        )

    def _listen(self, heard: Key | Stuck) -> None:
        if isinstance(heard, Key):
            self._core.take(heard)
