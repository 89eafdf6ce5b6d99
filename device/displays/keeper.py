"""A display's keeper: shows the latest screen, turns its pages, and gets the display back when it is lost.

Every bus has a thread of its own, so one that hangs stops no display of another, and not the program: its displays are
told to be lost, and there again when the bus lets go. Of displays on one bus the one whose button was pressed last is
served first, and what is overtaken by a newer picture before its turn is never sent. All waiting uses the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Protocol, TypeVar

import msgspec
from PIL import Image

from device.clock import Clock, wait
from device.displays.lane import Lane
from device.displays.oled import DisplayLost
from device.displays.resting import Light, Resting

T = TypeVar("T")


class Showing(Protocol):
    """What a keeper needs of a display; `device.displays.oled.Oled` is one."""

    size: tuple[int, int]

    @property
    def sent(self) -> int: ...
    def show(self, image: Image.Image) -> None: ...
    def dim(self, dimmed: bool) -> None: ...
    def refresh(self) -> None: ...
    def close(self) -> None: ...
    def drop(self) -> None: ...
    def give_up(self) -> None: ...


class Patience(msgspec.Struct, frozen=True):
    """Seconds. retry_s: before the first try to get a lost display back, doubled up to most_s: a display is on again
    within 2 s after it answers. check_s: between looks whether it is there. first_page_s, page_s: how long a page of a
    screen with several stays. hung_s: after so long on its bus a display is told to be lost. close_s: how long closing
    waits for a bus that hangs."""

    retry_s: float = 0.25
    most_s: float = 1.5
    check_s: float = 1.0
    first_page_s: float = 5.0
    page_s: float = 3.0
    hung_s: float = 3.0
    close_s: float = 2.0


class Keeper:
    """Keeps one display. Call `show` from the event loop; let `run` run until `close`.

    build makes the display anew, blank, or raises DisplayLost. told hears True when it is there and False when it is
    lost. lane: of its bus; None does the bus work on the loop, for simulated displays in simulated time. beat: called
    whenever the keeper goes round, also while it waits for the bus.
    """

    def __init__(
        self,
        name: str,
        build: Callable[[], Showing],
        clock: Clock,
        *,
        told: Callable[[str, bool], None] = lambda _name, _there: None,
        patience: Patience | None = None,
        lane: Lane | None = None,
        beat: Callable[[], None] = lambda: None,
        resting: Resting | None = None,
    ) -> None:
        self.name, self._build, self._clock, self._told, self._beat = name, build, clock, told, beat
        self._patience = patience or Patience()
        self._lane = lane
        if lane is not None:
            lane.join()
        self._queued: Future[None] | None = None
        self._pressed_at = float("-inf")
        self._display: Showing | None = None
        self._there: bool | None = None
        self._before = 0
        self._draw: Callable[[], Sequence[Image.Image]] | None = None
        self._pages: tuple[Image.Image, ...] = ()
        self._page, self._page_until = 0, 0.0
        self._resting, self._stays, self._used_at = resting, False, clock.now()
        self._light = Light.FULL
        self._shown: Image.Image | None = None
        self._tries, self._next_try, self._next_check = 0, 0.0, 0.0
        self._wake = asyncio.Event()
        self._closing = self._running = False
        self._idle = asyncio.Event()

    @property
    def sent(self) -> int:
        """Bytes sent to this display so far, over all its lives."""
        return self._before + (self._display.sent if self._display else 0)

    @property
    def there(self) -> bool:
        """False while the display is lost."""
        return bool(self._there)

    def show(self, draw: Callable[[], Sequence[Image.Image]]) -> None:
        """Shows a screen from now on; several pages in turn. Returns at once. An equal screen keeps its page.

        It is drawn when it is its turn: what comes before it on another display is on its way by then. An older picture
        that still waits for its bus is not sent any more.
        """
        self._draw = draw
        self._wake.set()
        if self._queued is not None:
            self._queued.cancel()

    def wake(self) -> bool:
        """Somebody uses it. True if it was dark."""
        was, self._used_at = self._light, self._clock.now()
        if was is not Light.FULL:
            self._wake.set()
        return was is Light.DARK

    def press(self) -> bool:
        """The button beside it was pressed: others on its bus wait for it from now on. True if it was dark."""
        self._pressed_at = self._clock.now()
        return self.wake()

    def stay(self, stays: bool) -> None:
        """Set whether the display must stay on, however long nobody uses it."""
        self._stays = stays

    async def run(self) -> None:
        """Keeps the display until it is closed."""
        self._running = True
        try:
            while not self._closing:
                self._beat()
                await self._step()
                await wait(self._clock, self._wake, self._due())
        finally:
            self._running = False
            self._idle.set()

    async def close(self) -> None:
        """Blanks the display and lets it go; one whose bus hangs is given up after `close_s`."""
        self._closing = True
        self._wake.set()
        until = self._clock.now() + self._patience.close_s
        if self._running:
            await wait(self._clock, self._idle, until)
        if self._display is not None:
            display, self._display = self._display, None
            self._before += display.sent
            if not await self._blanked(display, until):
                display.give_up()
        if self._lane is not None:
            self._lane.leave()

    async def _blanked(self, display: Showing, until: float) -> bool:
        """False if its bus still hangs at `until`."""
        ended = asyncio.Event()
        closing = asyncio.ensure_future(self._do(display.close))
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
        self._turn_to_newest(now)
        if len(self._pages) > 1 and now >= self._page_until:
            self._page = (self._page + 1) % len(self._pages)
            self._page_until = now + (self._patience.page_s if self._page else self._patience.first_page_s)
        try:
            await self._bring_up_to_date(self._display)
        except DisplayLost:
            await self._lose(self._display)

    def _turn_to_newest(self, now: float) -> None:
        """Draws what is to be shown, unless that is done."""
        if self._draw is None:
            return
        draw, self._draw = self._draw, None
        new = tuple(draw())
        if [page.tobytes() for page in new] != [page.tobytes() for page in self._pages]:
            self._pages, self._page = new, 0
            self._page_until = now + self._patience.first_page_s

    async def _bring_up_to_date(self, display: Showing) -> None:
        image = self._pages[self._page] if self._pages else None
        light = self._lit(self._clock.now())
        if image is not None and light is Light.DARK:
            image = Image.new(image.mode, image.size)
        if (light is Light.DIM) is not (self._light is Light.DIM):
            await self._do(lambda: display.dim(light is Light.DIM))
        self._light = light
        if image is not None and image != self._shown:
            if not await self._sent(partial(display.show, image)):
                return
            self._shown = image
        now = self._clock.now()
        if now >= self._next_check:
            await self._do(display.refresh)
            self._next_check = now + self._patience.check_s
        self._tell(True)

    def _lit(self, now: float) -> Light:
        return Light.FULL if self._resting is None else self._resting.light(now - self._used_at, stays=self._stays)

    async def _try_to_build(self) -> None:
        try:
            self._display = await self._do(self._build)
        except DisplayLost:
            self._schedule_try()
            self._tell(False)
            return
        self._shown, self._tries, self._light = None, 0, Light.FULL
        self._next_check = self._clock.now() + self._patience.check_s
        self._tell(True)

    async def _lose(self, display: Showing) -> None:
        self._before += display.sent
        self._display = None
        self._schedule_try()
        self._tell(False)
        await self._do(display.drop)

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
        return min(self._next_check, self._page_until) if len(self._pages) > 1 else self._next_check

    async def _sent(self, picture: Callable[[], None]) -> bool:
        """False if a newer picture came before it was its turn on the bus."""
        if self._lane is None:
            picture()
            return True
        self._queued = queued = self._lane.do(picture, self._pressed_at)
        try:
            await self._done(queued)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            return False
        finally:
            self._queued = None
        return True

    async def _do(self, work: Callable[[], T]) -> T:
        """Do work on the bus."""
        return work() if self._lane is None else await self._done(self._lane.do(work, self._pressed_at))

    async def _done(self, asked: Future[T]) -> T:
        """Return the result of a job on the bus. A job that hangs, this one or another's before it, makes the display
        lost, but holds up nothing else."""
        assert self._lane is not None
        job, done, finished = asyncio.wrap_future(asked), asyncio.Event(), self._lane.finished
        job.add_done_callback(lambda _: done.set())
        hung_at = self._clock.now() + self._patience.hung_s
        try:
            while not job.done():
                self._beat()
                await wait(self._clock, done, self._clock.now() + self._patience.check_s)
                if finished != self._lane.finished:
                    finished, hung_at = self._lane.finished, self._clock.now() + self._patience.hung_s
                if not job.done() and self._clock.now() >= hung_at:
                    self._tell(False)
        finally:
            job.cancel()
        return job.result()
