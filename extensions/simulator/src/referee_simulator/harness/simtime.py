"""Simulated time: it advances only when told to, and then wakes everything that waits for it."""

from __future__ import annotations

import asyncio
import heapq
from typing import Any

STABLE = 3
"""So many rounds of the loop in which nothing else was ready to run count as quiet: one is enough, and each of the
others has the loop look once more for what came through a pipe."""


class SimClock:
    """A `device.clock.Clock` that somebody advances."""

    def __init__(self) -> None:
        self._now = 0.0
        self._waits: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> float:
        return self._now

    async def sleep_until(self, at: float) -> None:
        if at <= self._now:
            await asyncio.sleep(0)
            return
        self._count += 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waits, (at, self._count, future))
        await future

    def due(self) -> float | None:
        """Return the earliest time that somebody waits for; None if nobody waits."""
        while self._waits and self._waits[0][2].done():
            heapq.heappop(self._waits)
        return self._waits[0][0] if self._waits else None

    def advance(self, to: float) -> None:
        """Advance to a time. Whoever waited for it goes on at the loop's next round, the earliest first."""
        self._now = max(self._now, to)
        while (due := self.due()) is not None and due <= self._now:
            heapq.heappop(self._waits)[2].set_result(None)

    async def quiet(self) -> None:
        """Returns once whatever could go on without time going on has done so."""
        loop: Any = asyncio.get_running_loop()
        still = 0
        while still < STABLE:
            await asyncio.sleep(0)
            still = 0 if loop._ready else still + 1  # asyncio tells it in no other way, and to go on for long is dear
