"""Defines the injected clock, which simulated time can replace, and reads the time of day.

A Raspberry Pi has no clock of its own, so the time of day says if it was set.
"""

from __future__ import annotations

import asyncio
import ctypes
import time
from pathlib import Path
from typing import Protocol

import msgspec

SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
"""File made by systemd-timesyncd.service(8) once the clock is set."""

_STA_UNSYNC = 0x0040
_ERROR = 5
"""TIME_ERROR of adjtimex(2): not synchronised."""


class WallTime(msgspec.Struct, frozen=True):
    """A time. at: seconds since 1970 (UTC). set: by the network or another source that the kernel knows."""

    at: float
    set: bool


def wall_time() -> WallTime:
    return WallTime(round(time.time(), 3), SYNCHRONIZED.exists() or _kernel_says_so())


class _Timex(ctypes.Structure):
    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 32),
    )


def _kernel_says_so() -> bool:
    timex = _Timex()
    state: int = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    return 0 <= state < _ERROR and not timex.status & _STA_UNSYNC


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
        await asyncio.sleep(0)  # a loop without rest lets others have their turn
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
