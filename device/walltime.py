"""The time of day, and whether anybody has set the clock: a Raspberry Pi without a network has none of its own."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

import msgspec

SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
"""systemd-timesyncd makes this file when it has set the clock from the network (systemd-timesyncd.service(8))."""

_STA_UNSYNC = 0x0040
_ERROR = 5
"""TIME_ERROR of adjtimex(2): the clock is not synchronized."""


class WallTime(msgspec.Struct, frozen=True):
    """at: seconds since 1970 (UTC). set: whether the clock was set, by the network or by somebody that the kernel knows
    of; otherwise it goes on from where it stood when the power failed."""

    at: float
    set: bool


def now() -> WallTime:
    """The time of this machine's clock."""
    return WallTime(round(time.time(), 3), SYNCHRONIZED.exists() or _kernel_says_so())


class _Timex(ctypes.Structure):
    """The beginning of struct timex (adjtimex(2)); the rest is room for what the kernel fills in."""

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
    """Return True if another service, such as chrony, has told the kernel. A sandbox that forbids the question says
    nothing."""
    timex = _Timex()
    state: int = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    return 0 <= state < _ERROR and not timex.status & _STA_UNSYNC
