"""The whole daemon in simulated time, which advances once everything due has happened.

`device.daemon.assembly` builds it as for `referee run`, with simulated hardware. A seed gives the same journal to the
byte."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from device.daemon import assembly
from device.daemon.core import Core, EntryListener, Store
from device.daemon.displays import Pane
from device.daemon.match_identity import Identity, simulated_chance
from device.daemon.referee import Ports, Referee
from device.displays.keeper import Keeper
from device.displays.oled import Oled
from device.journal import Journal
from device.journal.opening import Opened
from device.screens.page_view import Wire, wire
from device.screens.screen import BLANK, Screen
from device.session import messages
from device.session.messages import Joined
from device.session.page_views import sheet
from device.session.state import Session
from device.session.table import Table
from device.settings.table import Display, TableSettings
from engine.entry import Entry
from engine.table import Seat
from referee_simulator.hands.scripts import Script
from referee_simulator.hardware.oled import SimulatedOled
from referee_simulator.hardware.pins import Pins, at_once, seat_of, wiring_of
from referee_simulator.harness.sights import Sight
from referee_simulator.harness.simtime import SimClock
from referee_simulator.players.world import Arrive, Course, Handle, Hold, Pause, Tap, Touch, Wish
from referee_simulator.table.virtual import VirtualTable

HOLD_S = 0.08
AFTER_TAP_S = 0.12


class Fate:
    """Events at a table apart from its players; none here."""

    kills = False
    """True if the daemon is killed at the end of a course, without cleanup."""

    def due(self) -> float | None:
        return None

    def run_due(self, now: float) -> None:
        """Run due events; the daemon is idle. An exception ends the course."""

    def note_shown(self, display: str) -> None:
        """Note that a display is given a screen."""


class Timed:
    """Runs courses against the daemon; a `Panels`, and with sight a `World`."""

    def __init__(
        self,
        settings: TableSettings,
        *,
        seed: int,
        rules: Table | None = None,
        sight: Sight | None = None,
        opened: Callable[[], Opened] | None = None,
        identity: Identity | None = None,
        drawn: bool = True,
        fate: Fate | None = None,
    ) -> None:
        """Power on a table.

        rules: `assembly.session_table(settings)`, if known
        opened: opens the journal at power-on; None uses a healthy disk
        identity: of matches; None derives it from the seed
        drawn: draw displays, for users of `oleds`"""
        self.clock = SimClock()
        self.pins = Pins(wiring_of(settings), seed)
        self._settings, self._seed, self._sight = settings, seed, sight
        self._opened = opened or self._well
        self._identity = identity
        self._fate = fate or Fate()
        self.taps = 0
        """On all pages."""
        self._rules = rules or assembly.session_table(settings)
        self._displays = assembly.displays(settings) if drawn else {}
        self.oleds = {name: SimulatedOled(each.controller, each.pixels) for name, each in self._displays.items()}
        self._power_on()

    def _power_on(self) -> None:
        self._screens = dict[str, tuple[Screen, str]]()
        self._pages = dict[tuple[Seat | None, str], tuple[Session, Wire]]()
        opened = self._opened()
        self._journal = opened.journal
        ports = Ports(
            displays={name: self._pane(name, each) for name, each in self._displays.items()},
            outlets=(self._publish,),
            vision=None if self._sight is None else self._sight.port(),
        )
        core = Core(
            self._rules,
            Store(opened.journal, opened.unsaved, self._settings.state_dir if opened.unsaved is None else None),
            simulated_chance(self._seed, self._identity),
            ports,
            now=self.clock.now,
            told=(opened.mended,) if opened.mended else (),
            listener=self._listener(),
        )
        self.referee = Referee(core, ports, self.clock)
        self._panels = assembly.panels(
            self._settings, self.referee.listen, now=self.clock.now, post=at_once, factory=self.pins.factory
        )

    def _listener(self) -> EntryListener | None:
        return None

    def _well(self) -> Opened:
        return Opened(Journal(self._settings.state_dir / "journal.db"))

    def _pane(self, name: str, display: Display) -> Pane:
        build = partial(Oled, display, self.oleds[name])
        return Pane(display.pixels, Keeper(name, build, self.clock))

    @property
    def now(self) -> float:
        return self.clock.now()

    @property
    def table(self) -> VirtualTable:
        """The table; requires sight."""
        assert self._sight is not None
        return self._sight.table

    def kill_worker(self) -> None:
        assert self._sight is not None
        self._sight.kill()

    def screen(self, panel: str) -> Screen:
        return self._screens.get(panel, (BLANK, ""))[0]

    def language(self, panel: str) -> str:
        return self._screens.get(panel, (BLANK, ""))[1]

    def page(self, audience: Seat | None, language: str) -> Wire:
        core, key = self.referee.core, (audience, language)
        if key not in self._pages or self._pages[key][0] is not core.session:
            self._pages[key] = core.session, wire(sheet(core.table, core.session, audience), language)
        return self._pages[key][1]

    def entries(self) -> Sequence[Entry]:
        return self._journal.current_entries()

    async def run(self, course: Course) -> None:
        """Grant all wishes, then end the daemon. Raises its failures."""
        self._stop = asyncio.Event()
        daemon = asyncio.ensure_future(self.referee.run(self._panels, stop=self._stop))
        play = asyncio.ensure_future(self._play(course))
        try:
            await asyncio.wait((daemon, play), return_when=asyncio.FIRST_COMPLETED)
            if daemon.done():
                play.cancel()
                await daemon
            await play
        finally:
            play.cancel()
            await self._end(daemon)

    async def _end(self, daemon: asyncio.Future[None]) -> None:
        if self._fate.kills:
            daemon.cancel()
        else:
            self._stop.set()
        await asyncio.gather(daemon, return_exceptions=True)
        for panel in self._panels:
            panel.close()
        if not self._fate.kills:
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
            case Arrive(seat):
                self.referee.give(Joined(seat, self.now))
                await self._quiet()
            case Touch(seat, serial, line, menu):
                self.taps += 1
                self.referee.give(messages.Tap(seat, serial, line, menu, self.now))
                await self._run_to(self.now + AFTER_TAP_S)
            case Pause(seconds):
                await self._run_to(self.now + seconds)
            case Handle(scripts):
                await self._handle(scripts)

    async def _handle(self, scripts: Sequence[Script]) -> None:
        if self._sight is None:
            raise ValueError("there is nothing here that hands could handle")
        self.table.act(scripts)
        await self._run_to(self.table.busy_until())
        while not self._sight.rhythm.is_resting(self.now):
            await self._run_to(self.now + 0.2)

    async def _run_to(self, until: float) -> None:
        await self._quiet()
        while (due := self._next()) <= until:
            self.clock.advance(due)
            self.pins.advance(self.now)
            await self._quiet()
            await self._happen()
        self.clock.advance(until)  # which wakes nobody

    def _next(self) -> float:
        return max(self.now, min((due for due in self._dues() if due is not None), default=float("inf")))

    def _dues(self) -> tuple[float | None, ...]:
        frame = None if self._sight is None else self._sight.rhythm.next_frame(self.now)
        return (self.pins.due(), self.clock.due(), frame, self._fate.due())

    async def _happen(self) -> None:
        if self._sight is not None and self._sight.rhythm.due(self.now):
            await self._sight.look(self.referee)
            await self._quiet()

    async def _quiet(self) -> None:
        if self._sight is not None:
            await self._sight.wait_for_rest()
        await self.clock.quiet()
        await self.referee.wait_settled()
        self._fate.run_due(self.now)

    def _publish(self, display: str, screen: Screen, language: str) -> None:
        self._screens[display] = screen, language
        self._fate.note_shown(display)

    def _close(self) -> None:
        self._journal.close()
        if self._sight is not None:
            self._sight.close()
