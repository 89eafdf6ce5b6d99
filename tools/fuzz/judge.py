"""Judges a case: it may end well or with a sentence; anything else, a hang or a growth is told."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import msgspec

from device.logs import place
from engine.errors import RefereeError

HANG_S = 2.0
"""Seconds of work. Whatever waits longer by the clock, `WAIT_S`, hangs as well; the machine may be busy with others."""

WAIT_S = 20.0
GROWTH_KB = 50_000


class Hang(BaseException):
    """A case takes too long. Nothing that is tried catches it."""


class Target(msgspec.Struct, frozen=True):
    """One reader. samples: what it should get; feed: gives it something, and raises RefereeError for what it refuses.

    room_kb: what a case may take for a moment, beyond the growth that none may leave behind.
    """

    name: str
    samples: Sequence[bytes]
    feed: Callable[[bytes], object]
    room_kb: int = 0


def judge_case(target: Target, data: bytes) -> str | None:
    """What is wrong with a case; None if it ended well or with a sentence."""
    before, peak = resident_kb(), _peak_kb()
    try:
        with _time_limit():
            target.feed(data)
    except RefereeError:
        pass
    except Hang:
        return f"hang at {target.name}"
    except Exception as error:  # noqa: BLE001  what it may be is the question
        return f"{type(error).__name__} at {place(error)}"
    if resident_kb() - before > GROWTH_KB + target.room_kb:
        return "growth that stays"
    return "growth" if _peak_kb() - max(peak, before) > GROWTH_KB + target.room_kb else None


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raises Hang inside when the time is over."""
    usual = [signal.signal(number, _ring) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, HANG_S)
    signal.setitimer(signal.ITIMER_REAL, WAIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), usual, strict=True):
            signal.signal(number, handler)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise Hang


def resident_kb() -> int:
    """The memory that this process has now."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  it is read a million times
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
