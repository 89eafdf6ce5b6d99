"""All waiting goes through a clock that is handed in, so that simulated time can replace the real one."""

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
