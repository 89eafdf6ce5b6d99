"""The queue of inputs, which stays short however slow a step is: frames in which nothing was seen become one."""

from __future__ import annotations

import asyncio
import logging

import msgspec

from device.session.messages import Input
from vision.messages import Report

MOST = 256
"""More keys than hands press until the watchdog ends a loop that hangs."""

_log = logging.getLogger(__name__)


class Inputs:
    """A queue for one loop, which calls `get` and then `mark_done` for each input. In the order in which they came."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[list[Input]] = asyncio.Queue(MOST)
        self._last: list[Input] = []
        self._dropped = False

    def put(self, given: Input) -> bool:
        """Takes it, unless a loop that hangs has let too many gather: then that is logged, and False."""
        merged = _merge_reports(self._last[0], given) if self._last else None
        if merged is not None:
            self._last[0] = merged
            return True
        waits = [given]
        try:
            self._waiting.put_nowait(waits)
        except asyncio.QueueFull:
            if not self._dropped:
                _log.error("%d inputs wait for their turn: what comes now is lost", MOST)
            self._dropped = True
            return False
        self._last, self._dropped = waits, False
        return True

    async def get(self) -> Input:
        """The next input, once there is one."""
        taken = await self._waiting.get()
        if taken is self._last:
            self._last = []
        return taken[0]

    def mark_done(self) -> None:
        """The input that was got last has been dealt with."""
        self._waiting.task_done()

    async def join(self) -> None:
        """Returns once all inputs so far are dealt with."""
        await self._waiting.join()


def _merge_reports(before: Input, given: Input) -> Report | None:
    """Two frames as one; None if either says anything by itself. What moved in one of them moved."""
    if not (isinstance(before, Report) and isinstance(given, Report)) or before.health is not given.health:
        return None
    if before.observation is not None or given.observation is not None or not (before.frame and given.frame):
        return None
    return msgspec.structs.replace(given, moving=before.moving or given.moving)
