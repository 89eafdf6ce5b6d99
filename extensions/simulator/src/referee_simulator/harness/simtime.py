"""Simulated time, which advances only on request and wakes waiting tasks."""

from __future__ import annotations

import asyncio
import heapq
from typing import Any

STABLE = 3
"""Idle loop rounds that count as quiet; more than one, because data may come through a pipe."""


class SimClock:
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
        while self._waits and self._waits[0][2].done():
            heapq.heappop(self._waits)
        return self._waits[0][0] if self._waits else None

    def advance(self, to: float) -> None:
        self._now = max(self._now, to)
        while (due := self.due()) is not None and due <= self._now:
            heapq.heappop(self._waits)[2].set_result(None)

    async def quiet(self) -> None:
        """Return once all tasks wait for time."""
        loop: Any = asyncio.get_running_loop()
        still = 0
        while still < STABLE:
            await asyncio.sleep(0)
            still = 0 if loop._ready else still + 1  # asyncio tells it in no other way
