"""The clock interface: all waiting uses an injected clock, so that simulated time can replace real time."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds since some start, never going back, and a way to wait."""

    def now(self) -> float: ...

    async def sleep_until(self, at: float) -> None:
        """Returns once `now()` is at least `at`."""
        ...


class WallClock:
    """Real time, monotonic."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep_until(self, at: float) -> None:
        while (left := at - self.now()) > 0:
            await asyncio.sleep(left)


async def wait(clock: Clock, event: asyncio.Event, until: float | None) -> None:
    """Returns when the event is set or `until` has come (None: never), and clears the event."""
    waits: list[asyncio.Future[object]] = [asyncio.ensure_future(event.wait())]
    if until is not None:
        waits.append(asyncio.ensure_future(clock.sleep_until(until)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
    event.clear()
