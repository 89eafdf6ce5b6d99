"""Reads the time of day and if the clock is set, as a Raspberry Pi has none of its own."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

import msgspec

SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
"""File made by systemd-timesyncd.service(8) once the clock is set."""

_STA_UNSYNC = 0x0040
_ERROR = 5
"""TIME_ERROR of adjtimex(2): not synchronised."""


class WallTime(msgspec.Struct, frozen=True):
    """A time. at: seconds since 1970 (UTC). set: by the network or another source known to the kernel."""

    at: float
    set: bool


def now() -> WallTime:
    """Return the current time."""
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
