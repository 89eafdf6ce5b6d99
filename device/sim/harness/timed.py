"""The whole daemon in simulated time, which advances only when everything that could happen by now has happened.

`device.daemon.assembly` puts the daemon together, as for `referee run`; pins and displays are simulated. There is no
camera here: `device.sim.harness.lockstep` adds one. One seed gives the same journal to the byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from device.daemon import assembly
from device.daemon.panes import Pane
from device.daemon.referee import Referee, VisionPort
from device.displays.oled import Oled
from device.journal import Journal
from device.screens.screen import BLANK, Screen
from device.session.table import SHARED, Table
from device.settings.table import Display, TableSettings
from device.sim.hardware.oled import SimulatedOled
from device.sim.hardware.pins import Pins, wired
from device.sim.harness.simtime import SimClock
from device.sim.players.world import Course, Handle, Hold, Pause, Tap, Wish
from engine.entry import Entry
from engine.table import Seat

HOLD_S = 0.08
AFTER_TAP_S = 0.12


class Timed:
    """A `device.sim.players.world.Panels` that runs courses of wishes against the daemon."""

    def __init__(
        self, settings: TableSettings, *, seed: int, rules: Table | None = None, vision: VisionPort | None = None
    ) -> None:
        """settings: of the table; its folders are used. rules: `assembly.session_table(settings)`, if known already."""
        self.clock = SimClock()
        self.pins = Pins(wired(settings), seed)
        self._screens = dict[str, tuple[Screen, str]]()
        self._journal = Journal(settings.state_dir / "journal.db")
        displays = assembly.displays(settings)
        self.oleds = {name: SimulatedOled(each.controller, each.pixels) for name, each in displays.items()}
        self.referee = Referee(
            rules or assembly.session_table(settings),
            self._journal,
            self.clock,
            seed=seed,
            decks=settings.state_dir,
            displays={name: self._pane(name, each) for name, each in displays.items()},
            vision=vision,
            publish=self._publish,
        )
        self._panels = assembly.panels(
            settings, self.referee.listen, now=self.clock.now, post=_at_once, factory=self.pins.factory
        )

    def _pane(self, name: str, display: Display) -> Pane:
        build = partial(Oled, display, self.oleds[name])
        return Pane(name, display.pixels, build, self.clock, threaded=False)

    # What players see.

    @property
    def now(self) -> float:
        return self.clock.now()

    def screen(self, panel: str) -> Screen:
        return self._screens.get(panel, (BLANK, ""))[0]

    def language(self, panel: str) -> str:
        """The language of a display."""
        return self._screens.get(panel, (BLANK, ""))[1]

    def entries(self) -> Sequence[Entry]:
        return () if self._journal.current is None else self._journal.entries(self._journal.current)

    # Time.

    async def run(self, course: Course) -> None:
        """Makes wishes come true until there are no more. Raises what makes the daemon fail."""
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
                self.pins.tap(seat_of(panel), button, self.now, HOLD_S)
                await self._run_to(self.now + HOLD_S + AFTER_TAP_S)
            case Hold(panel, button, down):
                act = self.pins.press if down else self.pins.release
                act(seat_of(panel), button, self.now)
                await self._run_to(self.now + AFTER_TAP_S)
            case Pause(seconds):
                await self._run_to(self.now + seconds)
            case Handle():
                raise ValueError("there is nothing here that hands could handle")

    async def _run_to(self, until: float) -> None:
        await self._quiet()
        while (due := self._next()) <= until:
            self.clock.advance(due)
            self.pins.advance(self.now)
            await self._quiet()
            await self._happen()
        self.clock.advance(until)
        await self._quiet()

    def _next(self) -> float:
        return max(self.now, min((due for due in self._dues() if due is not None), default=float("inf")))

    def _dues(self) -> tuple[float | None, ...]:
        """When something happens next."""
        return (self.pins.due(), self.clock.due())

    async def _happen(self) -> None:
        """What else happens at this moment."""

    async def _quiet(self) -> None:
        await self.clock.quiet()
        await self.referee.settled()

    def _publish(self, display: str, screen: Screen, language: str) -> None:
        self._screens[display] = screen, language

    def _close(self) -> None:
        for panel in self._panels:
            panel.close()
        self._journal.close()


def seat_of(panel: str) -> Seat | None:
    """Whose buttons a panel has; None: everybody's."""
    return None if panel == SHARED else panel


def _at_once(call: Callable[..., object], *given: object) -> None:
    """Simulated edges come on the loop's own thread."""
    call(*given)
