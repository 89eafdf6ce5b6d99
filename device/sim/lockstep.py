"""The whole daemon in simulated time: time never passes a frame that the vision worker has not answered.

`device.daemon.assembly` puts the daemon together, as for `referee run`; pins, displays and the camera are simulated.
One seed gives the same journal to the byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from device.daemon import assembly
from device.daemon.panes import Pane
from device.daemon.referee import Referee
from device.daemon.vision import VisionWorker
from device.displays.oled import Oled
from device.journal import Journal
from device.screens.screen import BLANK, Screen
from device.session.table import Table
from device.settings.table import Display, TableSettings
from device.sim.live.eyes import Eyes
from device.sim.oled import SimulatedOled
from device.sim.pins import Pins, wired
from device.sim.render.camera import SIZE
from device.sim.rhythm import Rhythm
from device.sim.simtime import SimClock
from device.sim.table import VirtualTable
from device.sim.world import Course, Handle, Pause, Tap, Wish
from engine.entry import Entry
from engine.errors import RefereeError
from vision.cameras.shared import FrameRing
from vision.link import Report, ToWorker

HOLD_S = 0.08
AFTER_TAP_S = 0.12
DEAF_S = 60.0
"""Real seconds after which a worker that does not answer a frame is given up."""

POST_S = 0.004
"""Real seconds that an order needs at most to reach the worker: no frame is sent before that."""


class WorkerDeaf(RefereeError, TimeoutError):
    """The vision worker does not answer a simulated frame."""


class Lockstep:
    """A `device.sim.world.World` that runs courses of wishes against the daemon."""

    def __init__(
        self,
        table: VirtualTable,
        settings: TableSettings,
        *,
        seed: int,
        rules: Table | None = None,
        heard: Callable[[Report], None] = lambda _: None,
    ) -> None:
        """settings: of a table with a shared camera; its folders are used. heard: is told of every report.

        rules: `assembly.session_table(settings)`, if it is known already.
        """
        self.table, self.clock, self.rhythm = table, SimClock(), Rhythm(table)
        self.pins = Pins(wired(settings), seed)
        self._heard, self._screens, self._serial, self._posted = heard, dict[str, Screen](), 0, False
        camera = assembly.camera_spec(settings)
        assert camera is not None
        self._ring = FrameRing(Path(camera.target), *SIZE)
        self._journal = Journal(settings.state_dir / "journal.db")
        displays = assembly.displays(settings)
        self.oleds = {name: SimulatedOled(each.controller, each.pixels) for name, each in displays.items()}
        self.referee = Referee(
            rules or assembly.session_table(settings),
            self._journal,
            self.clock,
            seed=seed,
            displays={name: self._pane(name, each) for name, each in displays.items()},
            vision=_Posting(
                VisionWorker(assembly.worker_command(settings), settings.runtime_dir), self._reported, self._post
            ),
            publish=self._publish,
        )
        self._panels = assembly.panels(
            settings, self.referee.listen, now=self.clock.now, post=_at_once, factory=self.pins.factory
        )

    def _pane(self, name: str, display: Display) -> Pane:
        build = partial(Oled, display, self.oleds[name])
        return Pane(name, display.pixels, build, self.clock, threaded=False)

    # The world that players see.

    @property
    def now(self) -> float:
        return self.clock.now()

    def screen(self, panel: str) -> Screen:
        return self._screens.get(panel, BLANK)

    def entries(self) -> Sequence[Entry]:
        return () if self._journal.current is None else self._journal.entries(self._journal.current)

    # Time.

    async def run(self, course: Course) -> None:
        """Makes wishes come true until there are no more. Raises WorkerDeaf, or what makes the daemon fail."""
        stop = asyncio.Event()
        daemon = asyncio.ensure_future(self.referee.run(self._panels, stop=stop))
        play = asyncio.ensure_future(self._play(course))
        try:
            await asyncio.wait((daemon, play), return_when=asyncio.FIRST_COMPLETED)
            if daemon.done():
                play.cancel()
                await daemon
            await play
        finally:
            play.cancel()
            stop.set()
            await asyncio.gather(daemon, return_exceptions=True)
            self._close()

    async def _play(self, course: Course) -> None:
        for wish in course:
            await self._grant(wish)

    async def _grant(self, wish: Wish) -> None:
        match wish:
            case Tap(panel, button):
                self.pins.tap(panel, button, self.now, HOLD_S)
                await self._run_to(self.now + HOLD_S + AFTER_TAP_S)
            case Pause(seconds):
                await self._run_to(self.now + seconds)
            case Handle(scripts):
                self.table.act(scripts)
                await self._run_to(self.table.busy_until())
                while not self.rhythm.rested(self.now):
                    await self._run_to(self.now + 0.2)

    async def _run_to(self, until: float) -> None:
        await self._quiet()
        while (due := self._next()) <= until:
            self.clock.advance(due)
            self.pins.advance(self.now)
            await self._quiet()
            if self.rhythm.due(self.now):
                await self._frame()
                await self._quiet()
        self.clock.advance(until)
        await self._quiet()

    def _next(self) -> float:
        dues = (self.pins.due(), self.clock.due(), self.rhythm.next_frame(self.now))
        return max(self.now, min(due for due in dues if due is not None))

    async def _quiet(self) -> None:
        await self.clock.quiet()
        await self.referee.settled()

    async def _frame(self) -> None:
        frame = self.table.frame(self.now)
        if frame is None:
            self.rhythm.missed(self.now)
            return
        if self._posted:
            await asyncio.sleep(POST_S)
            self._posted = False
        self._serial += 1
        self._ring.write(self._serial, frame.at, frame.image)
        try:
            await asyncio.wait_for(self.referee.took(self._serial), DEAF_S)
        except TimeoutError as error:
            raise WorkerDeaf(f"frame {self._serial} was not answered within {DEAF_S:g} s") from error

    def _reported(self, report: Report) -> None:
        if report.frame:
            self.rhythm.answered(report)
            self._heard(report)

    def _post(self) -> None:
        self._posted = True

    def _publish(self, display: str, screen: Screen, _language: str) -> None:
        self._screens[display] = screen

    def _close(self) -> None:
        for panel in self._panels:
            panel.close()
        self._ring.close()
        self._journal.close()


class _Posting(Eyes):
    """Notes that an order is on its way."""

    def __init__(self, worker: VisionWorker, heard: Callable[[Report], None], posted: Callable[[], None]) -> None:
        super().__init__(worker, lambda _: None, heard)
        self._posted = posted

    def send(self, message: ToWorker) -> None:
        self._posted()
        super().send(message)


def _at_once(call: Callable[..., object], *given: object) -> None:
    """Simulated edges come on the loop's own thread."""
    call(*given)
