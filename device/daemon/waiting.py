"""Waiting on the injected clock, and for something to change, whichever comes first."""

from __future__ import annotations

import asyncio
from typing import Any

from device.clock import Clock


async def until(clock: Clock, at: float | None, changed: asyncio.Event) -> None:
    """Returns once `clock` is at `at` (None: never) or `changed` is set. Clears nothing."""
    waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(changed.wait())]
    if at is not None:
        waits.append(asyncio.ensure_future(clock.sleep_until(at)))
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
