"""The life of a child process ends with its parent's."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Has this process killed as soon as `parent` is gone, even while a driver holds it; Ctrl-C, and systemd's request
    to end, are the parent's alone.

    To be called by the child itself: between fork and exec of a process with threads nothing but a few system calls is
    safe. Raises SystemExit if `parent` is gone already.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(0)
