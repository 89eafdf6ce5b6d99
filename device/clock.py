"""Defines the injected clock, so that simulated time can replace real time."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """A monotonic clock in seconds."""

    def now(self) -> float: ...

    async def sleep_until(self, at: float) -> None:
        """Sleep until `now()` is at least `at`."""
        ...


class WallClock:
    """Real monotonic time."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep_until(self, at: float) -> None:
        while (left := at - self.now()) > 0:
            await asyncio.sleep(left)


async def wait(clock: Clock, event: asyncio.Event, until: float | None) -> None:
    """Wait for the event or `until` (None for ever), and clear the event."""
    if event.is_set():
        await asyncio.sleep(0)  # whoever goes round without rest lets the others have their turn
    elif until is None:
        await event.wait()
    else:
        await _until(clock, event, until)
    event.clear()


async def _until(clock: Clock, event: asyncio.Event, until: float) -> None:
    waits, came = True, False

    def come(_sleep: asyncio.Future[None]) -> None:
        nonlocal came
        if waits and not event.is_set():
            came = True
            event.set()

    sleep = asyncio.ensure_future(clock.sleep_until(until))
    sleep.add_done_callback(come)
    try:
        await event.wait()
    except asyncio.CancelledError:
        if came:
            event.clear()
        raise
    finally:
        waits = False  # the loop may be about to call `come`
        sleep.cancel()
