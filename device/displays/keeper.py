"""Runs a display: shows the newest screen, turns pages, reconnects when lost, dims and switches off when unused.

Each bus has a thread, so that a hanging one blocks no other; its displays count as lost meanwhile. On a bus the display
pressed last comes first, and outdated pictures are skipped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from enum import StrEnum
from functools import partial
from itertools import count
from queue import PriorityQueue
from threading import Thread
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
from PIL import Image

from device.clock import Clock, wait
from device.displays.oled import DisplayLost


class _Asked(NamedTuple):
    """A prioritised job; None ends the thread."""

    order: float
    number: int
    job: tuple[Future[Any], Callable[[], Any]] | None


class Lane:
    """A thread that runs jobs by rank; errors go to the job's future."""

    def __init__(self, name: str) -> None:
        self._jobs: PriorityQueue[_Asked] = PriorityQueue()
        self._numbers, self._users = count(), 0
        self.finished = 0
        """Number of finished jobs; constant while one hangs."""
        Thread(target=self._run, name=name, daemon=True).start()

    def join(self) -> None:
        """Add a user."""
        self._users += 1

    def leave(self) -> None:
        """Remove a user; after the last, the thread ends."""
        self._users -= 1
        if not self._users:
            self._jobs.put(_Asked(float("inf"), next(self._numbers), None))

    def do(self, job: Callable[[], T], rank: float = 0.0) -> Future[T]:
        """Queue a job and return its future; highest rank first, then oldest."""
        done: Future[T] = Future()
        self._jobs.put(_Asked(-rank, next(self._numbers), (done, job)))
        return done

    def _run(self) -> None:
        while (asked := self._jobs.get().job) is not None:
            done, job = asked
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = job()
            except Exception as error:  # noqa: BLE001  # handed on, not swallowed
                done.set_exception(error)
            else:
                done.set_result(result)
            finally:
                self.finished += 1


class Light(StrEnum):
    FULL = "full"
    DIM = "dim"
    DARK = "dark"


class Resting(msgspec.Struct, frozen=True):
    """Seconds without use before dimming and darkness."""

    dim_s: float = 120.0
    dark_s: float = 600.0

    def light(self, idle_s: float, *, stays: bool) -> Light:
        """Return the light after this time unused. stays: dim at most, for a clock or an alert."""
        if idle_s >= self.dark_s and not stays:
            return Light.DARK
        return Light.DIM if idle_s >= self.dim_s else Light.FULL


class Usage:
    """A display's last use. resting: None to stay lit."""

    def __init__(self, resting: Resting | None, now: float) -> None:
        self._resting, self.used_at, self.stays = resting, now, False

    def light(self, now: float) -> Light:
        return Light.FULL if self._resting is None else self._resting.light(now - self.used_at, stays=self.stays)


T = TypeVar("T")


class Showing(Protocol):
    """A display, such as `device.displays.oled.Oled`."""

    size: tuple[int, int]

    @property
    def sent(self) -> int: ...
    def show(self, image: Image.Image) -> None: ...
    def dim(self, dimmed: bool) -> None: ...
    def refresh(self) -> None: ...
    def close(self) -> None: ...
    def drop(self) -> None: ...
    def give_up(self) -> None: ...


class RetryTimes(msgspec.Struct, frozen=True):
    """Times in seconds.

    retry_s, most_s: first and longest retry delay.
    check_s: between checks.
    first_page_s, page_s: per page.
    hung_s: until a blocked display counts as lost.
    close_s: longest wait when closing.
    """

    retry_s: float = 0.25
    most_s: float = 1.5
    check_s: float = 1.0
    first_page_s: float = 5.0
    page_s: float = 3.0
    hung_s: float = 3.0
    close_s: float = 2.0


class _Pages:
    def __init__(self, timeout: RetryTimes) -> None:
        self._patience = timeout
        self._draw: Callable[[], Sequence[Image.Image]] | None = None
        self._pages: tuple[Image.Image, ...] = ()
        self._page, self._until = 0, 0.0

    @property
    def due(self) -> float:
        """Time of the next page turn."""
        return self._until if len(self._pages) > 1 else float("inf")

    def show(self, draw: Callable[[], Sequence[Image.Image]]) -> None:
        """Take a new screen, drawn later; an equal one keeps its page."""
        self._draw = draw

    def turn(self, now: float) -> Image.Image | None:
        """Draw a new screen, turn a due page, and return the current one; None without a screen."""
        if self._draw is not None:
            draw, self._draw = self._draw, None
            self._renew(tuple(draw()), now)
        if now >= self.due:
            self._page = (self._page + 1) % len(self._pages)
            self._until = now + (self._patience.page_s if self._page else self._patience.first_page_s)
        return self._pages[self._page] if self._pages else None

    def _renew(self, new: tuple[Image.Image, ...], now: float) -> None:
        if [page.tobytes() for page in new] != [page.tobytes() for page in self._pages]:
            self._pages, self._page = new, 0
            self._until = now + self._patience.first_page_s


class _Bus:
    """A display's jobs on its bus. hung: called repeatedly while it hangs. pressed_at: priority."""

    def __init__(
        self,
        lane: Lane | None,
        clock: Clock,
        timeout: RetryTimes,
        beat: Callable[[], None],
        hung: Callable[[], None],
    ) -> None:
        self._lane, self._clock, self._patience, self.beat, self._hung = lane, clock, timeout, beat, hung
        self.pressed_at = float("-inf")
        self.queued: Future[None] | None = None
        """The picture waiting or being sent."""
        if lane is not None:
            lane.join()

    def leave(self) -> None:
        if self._lane is not None:
            self._lane.leave()

    def overtake(self) -> None:
        """Cancel a waiting picture."""
        if self.queued is not None:
            self.queued.cancel()

    async def send(self, picture: Callable[[], None]) -> bool:
        """Send a picture; return False if a newer one replaced it."""
        if self._lane is None:
            picture()
            return True
        self.queued = queued = self._lane.do(picture, self.pressed_at)
        try:
            await self._result_of(self._lane, queued)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            return False
        finally:
            self.queued = None
        return True

    async def do(self, work: Callable[[], T]) -> T:
        lane = self._lane
        return work() if lane is None else await self._result_of(lane, lane.do(work, self.pressed_at))

    async def _result_of(self, lane: Lane, asked: Future[T]) -> T:
        job, done, finished = asyncio.wrap_future(asked), asyncio.Event(), lane.finished
        job.add_done_callback(lambda _: done.set())
        hung_at = self._clock.now() + self._patience.hung_s
        try:
            while not job.done():
                self.beat()
                await wait(self._clock, done, self._clock.now() + self._patience.check_s)
                if finished != lane.finished:
                    finished, hung_at = lane.finished, self._clock.now() + self._patience.hung_s
                if not job.done() and self._clock.now() >= hung_at:
                    self._hung()
        finally:
            job.cancel()
        return job.result()


class Keeper:
    """Keeps one display. Call `show` from the event loop while `run` runs.

    build: returns a blank display or raises DisplayLost.
    told: receives its name, and True when found, False when lost.
    lane: its bus's thread; None to work on the loop in simulated time.
    beat: called every round.
    """

    def __init__(
        self,
        name: str,
        build: Callable[[], Showing],
        clock: Clock,
        *,
        told: Callable[[str, bool], None] = lambda _name, _there: None,
        timeout: RetryTimes | None = None,
        lane: Lane | None = None,
        beat: Callable[[], None] = lambda: None,
        resting: Resting | None = None,
    ) -> None:
        self.name, self._build, self._clock, self._told = name, build, clock, told
        self._patience = timeout or RetryTimes()
        self._bus = _Bus(lane, clock, self._patience, beat, hung=partial(self._tell, False))
        self._pages, self._usage = _Pages(self._patience), Usage(resting, clock.now())
        self._display: Showing | None = None
        self._there: bool | None = None
        self._before = 0
        self._light = Light.FULL
        self._shown: Image.Image | None = None
        self._tries, self._next_try, self._next_check = 0, 0.0, 0.0
        self._wake = asyncio.Event()
        self._closing = self._running = False
        self._idle = asyncio.Event()

    @property
    def sent(self) -> int:
        """Total bytes sent."""
        return self._before + (self._display.sent if self._display else 0)

    @property
    def there(self) -> bool:
        """False while lost, or not yet found."""
        return bool(self._there)

    def show(self, draw: Callable[[], Sequence[Image.Image]]) -> None:
        """Show a screen, drawn later, instead of a waiting one. An equal screen keeps its page."""
        self._pages.show(draw)
        self._wake.set()
        self._bus.overtake()

    def wake(self) -> bool:
        """Note a use; return True if it was dark."""
        was, self._usage.used_at = self._light, self._clock.now()
        if was is not Light.FULL:
            self._wake.set()
        return was is Light.DARK

    def press(self) -> bool:
        """Note a press beside it, which gives it priority; return True if it was dark."""
        self._bus.pressed_at = self._clock.now()
        return self.wake()

    def stay(self, stays: bool) -> None:
        """Set whether the unused display only dims, or goes dark, too."""
        self._usage.stays = stays

    async def run(self) -> None:
        """Run the display until closed."""
        self._running = True
        try:
            while not self._closing:
                self._bus.beat()
                await self._step()
                await wait(self._clock, self._wake, self._due())
        finally:
            self._running = False
            self._idle.set()

    async def close(self) -> None:
        """Blank and release the display; give up a hanging bus after `close_s`."""
        self._closing = True
        self._wake.set()
        until = self._clock.now() + self._patience.close_s
        if self._running:
            await wait(self._clock, self._idle, until)
        if self._display is not None:
            display, self._display = self._display, None
            self._before += display.sent
            if not await self._blank(display, until):
                display.give_up()
        self._bus.leave()

    async def _blank(self, display: Showing, until: float) -> bool:
        ended = asyncio.Event()
        closing = asyncio.ensure_future(self._bus.do(display.close))
        closing.add_done_callback(lambda _: ended.set())
        await wait(self._clock, ended, until)
        if not closing.done():
            closing.cancel()
            return False
        try:
            closing.result()
        except DisplayLost:
            display.drop()
        return True

    async def _step(self) -> None:
        now = self._clock.now()
        if self._display is None:
            if now >= self._next_try:
                await self._try_to_build()
            if self._display is None:
                return
        page = self._pages.turn(now)
        try:
            await self._bring_up_to_date(self._display, page)
        except DisplayLost:
            await self._lose(self._display)

    async def _bring_up_to_date(self, display: Showing, image: Image.Image | None) -> None:
        light = self._usage.light(self._clock.now())
        if image is not None and light is Light.DARK:
            image = Image.new(image.mode, image.size)
        if (light is Light.DIM) is not (self._light is Light.DIM):
            await self._bus.do(lambda: display.dim(light is Light.DIM))
        self._light = light
        if image is not None and image != self._shown:
            if not await self._bus.send(partial(display.show, image)):
                return
            self._shown = image
        now = self._clock.now()
        if now >= self._next_check:
            await self._bus.do(display.refresh)
            self._next_check = now + self._patience.check_s
        self._tell(True)

    async def _try_to_build(self) -> None:
        try:
            self._display = await self._bus.do(self._build)
        except DisplayLost:
            self._schedule_try()
            self._tell(False)
            return
        self._shown, self._tries, self._light = None, 0, Light.FULL
        self._next_check = self._clock.now() + self._patience.check_s
        self._tell(True)

    async def _lose(self, display: Showing) -> None:
        self._before += display.sent
        self._display, self._light = None, Light.FULL  # what is gone is not dark: its buttons count
        self._schedule_try()
        self._tell(False)
        await self._bus.do(display.drop)

    def _schedule_try(self) -> None:
        delay = min(self._patience.retry_s * 2**self._tries, self._patience.most_s)
        self._tries = min(self._tries + 1, 8)
        self._next_try = self._clock.now() + delay

    def _tell(self, there: bool) -> None:
        if there is not self._there:
            self._there = there
            self._told(self.name, there)

    def _due(self) -> float:
        if self._display is None:
            return self._next_try
        return min(self._next_check, self._pages.due)
