"""Simulated time: it advances only when told to, and then wakes everything that waits for it."""

from __future__ import annotations

import asyncio
import heapq

STABLE = 12
"""So many rounds of the loop without anything new to wait for count as quiet: half as many again as were ever needed.
In matches at buttons, on phones and with ideal eyes it took the daemon's tasks at most 7 rounds from one wait to the
next, and none was ready to run after 8."""


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
        """When somebody next waits for it to be; None if nobody waits."""
        while self._waits and self._waits[0][2].done():
            heapq.heappop(self._waits)
        return self._waits[0][0] if self._waits else None

    def advance(self, to: float) -> None:
        """It is `to` now. Whoever waited for it goes on at the loop's next round, the earliest first."""
        self._now = max(self._now, to)
        while (due := self.due()) is not None and due <= self._now:
            heapq.heappop(self._waits)[2].set_result(None)

    async def quiet(self) -> None:
        """Returns once whatever could go on without time going on has done so."""
        still, before = 0, -1
        while still < STABLE:
            await asyncio.sleep(0)
            still = still + 1 if self._count == before else 0
            before = self._count
