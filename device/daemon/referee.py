"""Runs the daemon's loops with injected time and devices, also in the simulator."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

from device.buttons.panel import Stuck
from device.clock import Clock, wait
from device.daemon.core import Core
from device.daemon.input_queue import Inputs
from device.daemon.systemd_notify import SystemdNotifier, Watchdog
from device.journal import JournalError, JournalGone
from device.key_gestures import Key
from device.screens.screen import Screen
from device.session.messages import Dismiss, Input, Invite, Silence, Tend, Tick
from device.session.state import Session
from engine.errors import RefereeError
from engine.text import Text
from vision.messages import Picture, Report, ToWorker

_log = logging.getLogger(__name__)

TELL_S = 0.25
"""Seconds from a press until its screens are out."""

TELL_BY_S = 0.5
"""Longest delay in seconds before publishing, despite more presses."""

ATTEST_S = 0.3
"""Seconds from an entry until its screens are out and the journal's witness is written."""

REST_S = 3.0
"""Seconds without an entry before the journal's log is emptied."""

TIDY_S = 3600.0
"""Seconds between searches for old matches."""


class WakingPort(Protocol):
    """Wakes resting displays."""

    def wake_if_dark(self, key: Key) -> bool: ...
    def hand(self) -> None: ...


class DisplayPort(Protocol):
    """A display, which shows its newest screen."""

    def show(self, screen: Screen, language: str) -> None: ...

    async def run(self) -> None:
        """Draw screens and repair the display until cancelled."""
        ...

    async def close(self) -> None:
        """Blank the display, so that nothing private stays lit (law 5)."""
        ...


class PanelPort(Protocol):
    """One panel's buttons; keys go to its listener."""

    async def run(self, clock: Clock) -> None: ...

    def close(self) -> None:
        """Release the pins."""
        ...


class VisionPort(Protocol):
    """The vision worker, real or simulated."""

    def send(self, message: ToWorker) -> None: ...

    async def run(self, referee: Referee) -> None:
        """Deliver reports to the referee until cancelled."""
        ...


class PagesPort(Protocol):
    """Serves pages (`device.daemon.hooks`)."""

    @property
    def address(self) -> str:
        """The address of the table's page."""
        ...

    @property
    def workers(self) -> Mapping[str, int]:
        """Number of connected gateway workers by audience."""
        ...

    async def run(self, referee: Referee) -> None:
        """Exchange inputs and page updates until cancelled."""
        ...

    def heeds(self, given: Input) -> bool | None:
        """Return True if a tap counts now; None for other inputs."""
        ...

    def on_step(self, given: Input | None, heeded: bool | None = None) -> None:
        """Note a step. given: its input, if any. heeded: returned by `heeds` before it."""
        ...

    def on_wish(self, wish: Invite | Dismiss) -> None: ...

    def on_picture(self, picture: Picture) -> None:
        """Receive a straightened picture of the mat at rest, before the report on it."""
        ...

    @property
    def watched(self) -> bool:
        """True if somebody has the owner's page open."""
        ...

    def claim_address(self) -> str:
        """Return the address for claiming the table; "" if it has an owner or no code."""
        ...

    def camera_address(self) -> str:
        """Return the address by which a phone becomes the camera; "" if none is wanted, or one is."""
        ...

    def renew_step(self) -> None:
        """Send the changed step to the owner's page."""
        ...

    def close(self) -> None:
        """Close the sockets, whether `run` began or not."""
        ...


class MaintenancePort(Protocol):
    """Runs the owner's maintenance (`device.daemon.maintenance.Maintenance`)."""

    def begin(self, referee: Referee) -> None:
        """Connect to this referee, once."""
        ...

    async def run(self) -> None:
        """Run the owner's tasks until cancelled."""
        ...

    def on_tend(self, wish: Tend) -> None:
        """Handle the owner's choice at the buttons."""
        ...


class BuzzerPort(Protocol):
    """Makes sounds for the table (`device.buzzer.Buzzer`)."""

    def on_step(self, session: Session) -> None: ...

    async def run(self, clock: Clock) -> None:
        """Play sounds until cancelled."""
        ...


ScreenOutlet: TypeAlias = Callable[[str, Screen, str], None]
"""Receives a display's name, screen and language: all its audience may know (law 5)."""


class Ports(msgspec.Struct, frozen=True):
    """Devices and services around a core; None if absent. outlets: receive every screen."""

    displays: Mapping[str, DisplayPort] = {}
    outlets: tuple[ScreenOutlet, ...] = ()
    vision: VisionPort | None = None
    waking: WakingPort | None = None
    buzzer: BuzzerPort | None = None
    pages: PagesPort | None = None
    maintenance: MaintenancePort | None = None

    # `device.daemon.core.Output`.

    def show(self, display: str, screen: Screen, language: str) -> None:
        if (port := self.displays.get(display)) is not None:
            port.show(screen, language)
        for outlet in self.outlets:
            outlet(display, screen, language)

    def look(self, message: ToWorker) -> None:
        if self.vision is not None:
            self.vision.send(message)

    def wish(self, wish: Invite | Dismiss | Tend) -> None:
        if isinstance(wish, Tend):
            if self.maintenance is not None:
                self.maintenance.on_tend(wish)
        elif self.pages is not None:
            self.pages.on_wish(wish)

    def loops(self, referee: Referee) -> list[Coroutine[Any, Any, None]]:
        loops = [port.run() for port in self.displays.values()]
        if self.vision is not None:
            loops.append(self.vision.run(referee))
        if self.pages is not None:
            loops.append(self.pages.run(referee))
        if self.maintenance is not None:
            loops.append(self.maintenance.run())
        if self.buzzer is not None:
            loops.append(self.buzzer.run(referee.clock))
        return loops


class Referee:
    """The daemon's loops. notifier: records their progress. tidy: cleans the journal while the table rests."""

    def __init__(
        self,
        core: Core,
        ports: Ports,
        clock: Clock,
        *,
        notifier: SystemdNotifier | None = None,
        tidy: Callable[[], None] | None = None,
    ) -> None:
        self.core, self._ports, self.clock, self._tidy = core, ports, clock, tidy
        self.notifier = notifier or SystemdNotifier()
        self.notifier.watch("inputs")
        self.notifier.watch("ticks")
        if ports.pages is not None:
            self.notifier.watch("pages")
        self._inputs = Inputs()
        self._written, self._stepped, self._taken = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._pressed_at = float("-inf")
        self._answered = asyncio.Condition()
        self.answered = 0
        if ports.maintenance is not None:
            self.notifier.watch("owner")
            ports.maintenance.begin(self)

    # Input; call on the daemon's loop.

    def listen(self, heard: Key | Stuck) -> None:
        """Queue a panel's key, unless it wakes a dark display; only log a stuck contact."""
        if isinstance(heard, Stuck):
            _log.warning(
                "%s of panel %s is stuck; it is ignored until it lets go", heard.contact, heard.seat or "shared"
            )
            return
        waking = self._ports.waking
        if waking is None or not waking.wake_if_dark(heard):
            self._inputs.put(heard)

    def give(self, given: Input) -> bool:
        """Queue an input; return False if the queue is full."""
        return self._inputs.put(given)

    def on_report(self, report: Report) -> None:
        """Queue a report, dated now at the latest; its motion wakes displays."""
        now = self.clock.now()
        at = min(report.at, now) if report.frame else now
        if self._ports.waking is not None and report.moving:
            self._ports.waking.hand()
        self._inputs.put(msgspec.structs.replace(report, at=at))

    def silent(self, text: Text | None, *, starting: bool = False) -> None:
        """Queue vision's silence, or None when it answers again. starting: it only starts."""
        self._inputs.put(Silence(self.clock.now(), text, starting))

    def worker_started(self) -> None:
        """Call `Core.resume_vision`, and renew the pages."""
        self.answered = 0
        self.core.resume_vision()
        self._tell_pages()
        self._stepped.set()

    def forget(self, name: str) -> int:
        """Call `Core.forget`, and renew the pages."""
        found = self.core.forget(name)
        self._tell_pages()
        self._taken.set()
        return found

    def rests(self, due: float | None) -> float | None:
        """Return when a loop must run again: at `due`, or sooner to prove that it runs; None for never."""
        if self.notifier.round_s is None:
            return due
        return min(self.clock.now() + self.notifier.round_s, due if due is not None else float("inf"))

    def _tell_pages(self) -> None:
        if self._ports.pages is not None:
            self._ports.pages.on_step(None)

    # For the simulator.

    async def wait_settled(self) -> None:
        """Wait until all inputs are processed and their screens sent."""
        await self._inputs.join()

    async def took(self, frame: int) -> None:
        """Wait until this frame's report is processed."""
        async with self._answered:
            await self._answered.wait_for(lambda: self.answered >= frame)

    async def run(
        self, panels: Sequence[PanelPort] = (), watchdog: Watchdog | None = None, stop: asyncio.Event | None = None
    ) -> None:
        """Run until `stop` or a loop fails, then cancel everything and raise the failure."""
        loops = [
            self._take_inputs(),
            self._tell_outside(),
            self._tick(),
            self._look_after_journal(),
            *(panel.run(self.clock) for panel in panels),
            *self._ports.loops(self),
        ]
        if watchdog is not None:
            watchdog.ready()
            loops.append(watchdog.run())
        try:
            await together(loops, stop or asyncio.Event())
        finally:
            if watchdog is not None:
                watchdog.stopping()
            await asyncio.gather(*(port.close() for port in self._ports.displays.values()))

    async def _take_inputs(self) -> None:
        pages, buzzer = self._ports.pages, self._ports.buzzer
        while True:
            given = await self._inputs.get()
            heeded = pages.heeds(given) if pages is not None else None
            try:
                self.core.take(given)
                await asyncio.sleep(0)  # displays draw before pages and others are told
            finally:
                self._inputs.mark_done()
            if pages is not None:
                pages.on_step(given, heeded)
            if buzzer is not None:
                buzzer.on_step(self.core.session)
            self.notifier.beat("inputs")
            if not isinstance(given, Report | Tick):
                self._pressed_at = self.clock.now()
            self._taken.set()
            self._stepped.set()
            if self.core.journal.unattested:
                self._written.set()
            if isinstance(given, Report) and given.frame:
                async with self._answered:
                    self.answered = given.frame
                    self._answered.notify_all()

    async def _tell_outside(self) -> None:
        while True:
            await wait(self.clock, self._taken, None)
            began = self.clock.now()
            due = began + TELL_S
            while due > self.clock.now():
                await self.clock.sleep_until(due)
                due = min(self._pressed_at + TELL_S, began + TELL_BY_S)
            self._taken.clear()
            self.core.publish()

    async def _tick(self) -> None:
        """Queue due ticks as inputs, which proves that inputs are processed."""
        while True:
            due = self.rests(self.core.wake_at())
            await wait(self.clock, self._stepped, due)
            if due is not None and self.clock.now() >= due:
                self._inputs.put(Tick(self.clock.now()))
                await self._inputs.join()
            self.notifier.beat("ticks")

    async def _look_after_journal(self) -> None:
        rest = None if self._tidy is None else self.clock.now() + REST_S
        if self.core.journal.unattested:
            self._written.set()
        while True:
            await wait(self.clock, self._written, rest)
            if rest is not None and self.clock.now() >= rest:
                rest = None if self._tidy is None else self.clock.now() + TIDY_S
                await self._off_hot_path(self.core.journal.rest)
                if self._tidy is not None:
                    await self._off_hot_path(self._tidy)
            else:
                await self.clock.sleep_until(self.clock.now() + ATTEST_S)
                await self._off_hot_path(self.core.journal.attest)
                rest = self.clock.now() + REST_S

    async def _off_hot_path(self, work: Callable[[], None]) -> None:
        try:
            await (asyncio.to_thread(work) if self.notifier.round_s is not None else _at_once(work))
        except JournalGone as gone:
            self.core.warn(gone)
            self._tell_pages()
        except JournalError as error:
            _log.warning("%s", error)


async def _at_once(work: Callable[[], None]) -> None:
    work()


class LoopEnded(RefereeError, RuntimeError):
    """An endless loop ended by itself."""


async def together(loops: Sequence[Coroutine[Any, Any, None]], stop: asyncio.Event) -> None:
    """Run loops until `stop`. Raises the error that ended one, or LoopEnded."""
    tasks = {asyncio.ensure_future(loop): getattr(loop, "__qualname__", "a loop") for loop in loops}
    stopped = asyncio.ensure_future(stop.wait())
    ended: set[asyncio.Future[Any]] = set()
    try:
        ended, _ = await asyncio.wait([*tasks, stopped], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (*tasks, stopped):
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result
    if stopped not in ended:
        raise LoopEnded(f"{', '.join(tasks[task] for task in tasks if task in ended)} came to an end by itself")
