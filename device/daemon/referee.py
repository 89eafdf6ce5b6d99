"""The daemon's loops around the core: inputs in order, ticks when they are due, vision, displays, the watchdog.

Everything that waits does so on the injected clock; everything that touches the world is handed in. So the simulator
runs this very class, in simulated time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from device.buttons.panel import Stuck
from device.clock import Clock, wait
from device.daemon.core import Core
from device.daemon.identity import Identity
from device.daemon.inputs import Inputs
from device.daemon.pulse import Pulse, Watchdog
from device.daemon.signing import Signing
from device.journal import Journal, JournalError, JournalGone
from device.keys import Key
from device.screens.screen import Screen
from device.session.messages import Dismiss, Input, Invite, Silence, Tend, Tick
from device.session.state import Session
from device.session.table import Table
from engine.errors import RefereeError
from engine.text import Text
from vision.link import Report, ToWorker

_log = logging.getLogger(__name__)

TELL_S = 0.25
"""So long after a press or a tap its screens are out, also on a slow processor with two displays on one bus, and what
it did is told outside, where nobody waits for it."""

TELL_BY_S = 0.5
"""So long after an input what it did is told outside, though one press follows another."""

ATTEST_S = 0.3
"""So long after an entry its screens are out, and the witness is written."""

REST_S = 3.0
"""So long without an entry the table counts as at rest, also after the end of a match, and the log is emptied."""

TIDY_S = 3600.0
"""So often old matches are looked for, though nobody plays."""


class WakingPort(Protocol):
    """Wakes displays that rest."""

    def only_wakes(self, key: Key) -> bool: ...
    def hand(self) -> None: ...


class DisplayPort(Protocol):
    """One display: takes screens, and shows the newest as soon as it can."""

    def show(self, screen: Screen, language: str) -> None: ...

    async def run(self) -> None:
        """Sends what is to be shown, and repairs the display, until cancelled."""
        ...

    async def close(self) -> None:
        """Blanks the display: nothing stays lit for whoever comes by (law 5)."""
        ...


class PanelPort(Protocol):
    """Buttons of one panel; keys go to the listener that it was made with."""

    async def run(self, clock: Clock) -> None: ...

    def close(self) -> None:
        """Lets the pins go."""
        ...


class VisionPort(Protocol):
    """The vision worker, however it is run."""

    def send(self, message: ToWorker) -> None: ...

    async def run(self, referee: Referee) -> None:
        """Delivers reports to `referee.seen`, `referee.silent` and `referee.worker_started`, until cancelled."""
        ...


class ReceptionPort(Protocol):
    """Receives phones (`device.daemon.reception.Reception`)."""

    async def run(self, referee: Referee) -> None:
        """Gives what comes from pages to `referee.give`, and sends them what they may know, until cancelled."""
        ...

    def heeds(self, given: Input) -> bool | None:
        """Whether a tap that is taken now counts; None for what is no tap."""
        ...

    def stepped(self, given: Input | None, heeded: bool | None = None) -> None:
        """A step was made, with this input if there was one; `heeded` as `heeds` said before it."""
        ...

    def wished(self, wish: Invite | Dismiss) -> None:
        """Somebody is to get or to lose a seat by phone."""
        ...


class CarePort(Protocol):
    """Looks after the table with its owner (`device.daemon.care.Care`)."""

    def begin(self, referee: Referee) -> None:
        """At this referee's table; called once, when the referee is made."""
        ...

    async def run(self) -> None:
        """Works at what the owner began, until cancelled."""
        ...

    def tended(self, wish: Tend) -> None:
        """The owner chose a line at the table's buttons, or opened the page there."""
        ...


class PublicPort(Protocol):
    """Whoever looks at the table from outside (`device.bus.public.Public`)."""

    def stepped(self) -> None:
        """A step was made."""
        ...


class BuzzerPort(Protocol):
    """Sounds for everybody at the table (`device.buzzer.Buzzer`)."""

    def stepped(self, session: Session) -> None:
        """A step was made."""
        ...

    async def run(self, clock: Clock) -> None:
        """Sounds what is to be heard, until cancelled."""
        ...


class Referee:
    """The daemon. `core` is there from the start, so a display is right before the first loop runs.

    seed, fresh_seed: of the first match that is begun, and of those after it; decks: where cards are kept; told,
    unsaved: what was found wrong at power-on; goes_on: after errors of judging pictures; identity,
    signing: of matches (`Core`).
    publish: where every screen goes beside its display. reception: of phones; None: there are no pages.
    care: of the owner; None: nobody looks after this table. buzzer: of the table, if it has one.
    public: who looks at it from outside. tidy: does to the journal what can wait until the table rests.
    round_s: the longest that a loop may rest, so that the watchdog sees it go round; None in simulated time.
    pulse: where displays and vision tell of their rounds.
    """

    def __init__(
        self,
        table: Table,
        journal: Journal,
        clock: Clock,
        *,
        seed: int,
        fresh_seed: Callable[[], int] | None = None,
        decks: Path | None = None,
        told: tuple[Text, ...] = (),
        unsaved: Text | None = None,
        goes_on: bool = False,
        identity: Identity | None = None,
        signing: Signing | None = None,
        displays: Mapping[str, DisplayPort],
        vision: VisionPort | None = None,
        publish: Callable[[str, Screen, str], None] | None = None,
        reception: ReceptionPort | None = None,
        care: CarePort | None = None,
        round_s: float | None = None,
        pulse: Pulse | None = None,
        waking: WakingPort | None = None,
        buzzer: BuzzerPort | None = None,
        public: PublicPort | None = None,
        tidy: Callable[[], None] | None = None,
    ) -> None:
        self.clock, self.pulse = clock, pulse or Pulse()
        self.pulse.watch("inputs")
        self.pulse.watch("ticks")
        self._displays, self._vision, self._publish = displays, vision, publish
        self._reception, self._care = reception, care
        if care is not None:
            self.pulse.watch("owner")
        if reception is not None:
            self.pulse.watch("pages")
        self._round_s, self._waking, self._buzzer, self._public = round_s, waking, buzzer, public
        self._inputs = Inputs()
        self._journal, self._written, self._tidy = journal, asyncio.Event(), tidy
        self._stepped, self._taken = asyncio.Event(), asyncio.Event()
        self._pressed_at = float("-inf")
        self._answered = asyncio.Condition()
        self.answered = 0
        self.core = Core(
            table,
            journal,
            self,
            now=clock.now,
            seed=seed,
            fresh_seed=fresh_seed,
            decks=decks,
            told=told,
            unsaved=unsaved,
            goes_on=goes_on,
            identity=identity,
            signing=signing,
            wished=self._wished,
        )
        if care is not None:
            care.begin(self)

    # What comes in; to be called on the daemon's loop.

    def listen(self, heard: Key | Stuck) -> None:
        """A panel's listener."""
        if isinstance(heard, Stuck):
            _log.warning(
                "%s of panel %s is stuck; it is ignored until it lets go", heard.contact, heard.seat or "shared"
            )
            return
        if self._waking is None or not self._waking.only_wakes(heard):
            self._inputs.put(heard)

    def give(self, given: Input) -> bool:
        """What a page gives, or what is to be known of phones. False if so much waits that it is lost."""
        return self._inputs.put(given)

    def seen(self, report: Report) -> None:
        """A report. One without a frame carries the stamp of no frame, and no stamp may lie in the future."""
        now = self.clock.now()
        at = min(report.at, now) if report.frame else now
        if self._waking is not None and report.moving:
            self._waking.hand()
        self._inputs.put(msgspec.structs.replace(report, at=at))

    def silent(self, text: Text | None, *, starting: bool = False) -> None:
        """Vision does not answer, and why; None: it answers again. starting: it only gets ready."""
        self._inputs.put(Silence(self.clock.now(), text, starting))

    def worker_started(self) -> None:
        """A vision worker waits for its orders."""
        self.answered = 0
        self.core.seen_anew()
        self._tell_pages()
        self._stepped.set()

    # What goes out.

    def show(self, display: str, screen: Screen, language: str) -> None:
        if (port := self._displays.get(display)) is not None:
            port.show(screen, language)
        if self._publish is not None:
            self._publish(display, screen, language)

    def look(self, message: ToWorker) -> None:
        if self._vision is not None:
            self._vision.send(message)

    def forget(self, name: str) -> int:
        """A person is forgotten, also by every display and page; return in how many matches the name was. Raises
        JournalError."""
        found = self.core.forget(name)
        self._tell_pages()
        self._taken.set()
        return found

    def _wished(self, wish: Invite | Dismiss | Tend) -> None:
        if isinstance(wish, Tend):
            if self._care is not None:
                self._care.tended(wish)
        elif self._reception is not None:
            self._reception.wished(wish)

    def rests(self, due: float | None) -> float | None:
        """When a loop has to go round at the latest, if something of it is due then."""
        if self._round_s is None:
            return due
        return min(self.clock.now() + self._round_s, due if due is not None else float("inf"))

    def _tell_pages(self) -> None:
        if self._reception is not None:
            self._reception.stepped(None)

    # How the simulator keeps step.

    async def settled(self) -> None:
        """Returns once every input so far is taken, and its screens are handed on."""
        await self._inputs.join()

    async def took(self, frame: int) -> None:
        """Returns once the report on this frame is taken."""
        async with self._answered:
            await self._answered.wait_for(lambda: self.answered >= frame)

    async def run(
        self, panels: Sequence[PanelPort] = (), watchdog: Watchdog | None = None, stop: asyncio.Event | None = None
    ) -> None:
        """Runs until `stop` is set or a loop fails; then everything is cancelled, and a failure raised."""
        loops = [
            self._take_inputs(),
            self._tell_outside(),
            self._tick(),
            self._look_after_journal(),
            *(panel.run(self.clock) for panel in panels),
        ]
        loops += [port.run() for port in self._displays.values()]
        if self._vision is not None:
            loops.append(self._vision.run(self))
        if self._reception is not None:
            loops.append(self._reception.run(self))
        if self._care is not None:
            loops.append(self._care.run())
        if self._buzzer is not None:
            loops.append(self._buzzer.run(self.clock))
        if watchdog is not None:
            watchdog.ready()
            loops.append(watchdog.run())
        try:
            await together(loops, stop or asyncio.Event())
        finally:
            if watchdog is not None:
                watchdog.stopping()
            await asyncio.gather(*(port.close() for port in self._displays.values()))

    async def _take_inputs(self) -> None:
        while True:
            given = await self._inputs.get()
            heeded = self._reception.heeds(given) if self._reception is not None else None
            try:
                self.core.take(given)
                await asyncio.sleep(0)  # displays draw what they were given before pages and whoever else are told
            finally:
                self._inputs.done()
            if self._reception is not None:
                self._reception.stepped(given, heeded)
            if self._buzzer is not None:
                self._buzzer.stepped(self.core.session)
            self.pulse.beat("inputs")
            if not isinstance(given, Report | Tick):
                self._pressed_at = self.clock.now()
            self._taken.set()
            self._stepped.set()
            if self._journal.unattested:
                self._written.set()
            if isinstance(given, Report) and given.frame:
                async with self._answered:
                    self.answered = given.frame
                    self._answered.notify_all()

    async def _tell_outside(self) -> None:
        """Signs what was taken, and says it in public, once everybody at the table has been shown it."""
        while True:
            await wait(self.clock, self._taken, None)
            began = self.clock.now()
            due = began + TELL_S
            while due > self.clock.now():
                await self.clock.sleep_until(due)
                due = min(self._pressed_at + TELL_S, began + TELL_BY_S)
            self._taken.clear()
            self.core.sign()
            if self._public is not None:
                self._public.stepped()

    async def _tick(self) -> None:
        """A tick is an input like every other, so a round of this loop proves that inputs are taken."""
        while True:
            due = self.rests(self.core.wake_at())
            await wait(self.clock, self._stepped, due)
            if due is not None and self.clock.now() >= due:
                self._inputs.put(Tick(self.clock.now()))
                await self._inputs.join()
            self.pulse.beat("ticks")

    async def _look_after_journal(self) -> None:
        """What can wait until the displays are served: the journal's witness soon, its log when the table rests."""
        rest = None if self._tidy is None else self.clock.now() + REST_S
        if self._journal.unattested:
            self._written.set()
        while True:
            await wait(self.clock, self._written, rest)
            if rest is not None and self.clock.now() >= rest:
                rest = None if self._tidy is None else self.clock.now() + TIDY_S
                await self._off_hot_path(self._journal.rest)
                if self._tidy is not None:
                    await self._off_hot_path(self._tidy)
            else:
                await self.clock.sleep_until(self.clock.now() + ATTEST_S)
                await self._off_hot_path(self._journal.attest)
                rest = self.clock.now() + REST_S

    async def _off_hot_path(self, work: Callable[[], None]) -> None:
        """The disk may take its time, unless time is simulated. What is wrong with it the next entry will say, too."""
        try:
            await (asyncio.to_thread(work) if self._round_s is not None else _at_once(work))
        except JournalGone as gone:
            self.core.warn(gone)
            self._tell_pages()
        except JournalError as error:
            _log.warning("%s", error)


async def _at_once(work: Callable[[], None]) -> None:
    work()


class LoopEnded(RefereeError, RuntimeError):
    """A loop that goes on for ever came to an end, though nobody told it to."""


async def together(loops: Sequence[Coroutine[Any, Any, None]], stop: asyncio.Event) -> None:
    """Runs loops until `stop`, or until one ends, which none should. Raises what made it end, or LoopEnded."""
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
