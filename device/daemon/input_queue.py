"""Queues inputs, merging uneventful frames so that it stays short."""

from __future__ import annotations

import asyncio
import logging

import msgspec

from device.session.messages import Input
from vision.messages import Report

MOST = 256
"""Queue length; more than people press before the watchdog acts."""

_log = logging.getLogger(__name__)


class Inputs:
    """A FIFO queue for one loop, which calls `get`, then `mark_done`."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[list[Input]] = asyncio.Queue(MOST)
        self._last: list[Input] = []
        self._dropped = False

    def put(self, given: Input) -> bool:
        """Queue an input, or merge an uneventful report into the last one; return False if the queue is full, and the
        input lost."""
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
        taken = await self._waiting.get()
        if taken is self._last:
            self._last = []
        return taken[0]

    def mark_done(self) -> None:
        self._waiting.task_done()

    async def join(self) -> None:
        await self._waiting.join()


def _merge_reports(before: Input, given: Input) -> Report | None:
    if not (isinstance(before, Report) and isinstance(given, Report)) or before.health is not given.health:
        return None
    if before.observation is not None or given.observation is not None or not (before.frame and given.frame):
        return None
    return msgspec.structs.replace(given, moving=before.moving or given.moving)
