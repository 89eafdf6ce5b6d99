"""Shuts a worker in: from then on the kernel refuses it all but speaking over the descriptors that it has.

A list of what is allowed (seccomp, by libseccomp). Not on it, so refused with EPERM: opening anything, sockets of its
own and connecting them, starting programs and processes, looking into or signalling others, io_uring, shared memory,
memory that holds code. Workers are forked from one process and share its memory's layout: whoever has learnt the
addresses of one knows those of the others. None may touch another, so that this helps nobody.
"""

from __future__ import annotations

import ctypes
import errno
import resource
from collections.abc import Iterable

from referee_phones import seccomp

FIONBIO = 0x5421
TCP, NODELAY = 6, 1
PROT_EXEC = 4
MSG_FASTOPEN = 0x20000000
"""Sends to an address without connect(2): a listening socket that was shut down could reach others with it."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME = 1, 4, 15
SIGKILL = 9

PLAIN = (
    # What it holds, spoken over.
    "read", "write", "close", "accept", "accept4", "recvfrom", "getsockname", "getpeername", "getsockopt",
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl",
    # Memory, time, chance.
    "brk", "munmap", "mremap", "madvise", "futex", "clock_gettime", "clock_getres", "gettimeofday", "clock_nanosleep",
    "getrandom", "sched_yield", "restart_syscall", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid",
    # Signals to itself, and the end.
    "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "sigaltstack", "exit", "exit_group",
)  # fmt: skip
"""Calls that are allowed whatever their arguments say. None of them takes the name of a thing, or of a process."""


class Unconfined(Exception):
    """A worker cannot be shut in here; the message says why and what to do."""


def check() -> None:
    """Raise Unconfined if libseccomp is missing."""
    try:
        seccomp.library()
    except OSError as error:
        raise Unconfined(f"no worker can be shut in without libseccomp ({error}): install libseccomp2") from error


def shut_in(listener: int) -> None:
    """Confine this process for ever. Whatever Python loads late must be loaded. Raises Unconfined. listener: the
    descriptor of the socket that takes connections; asyncio listens there once more."""
    check()
    _unseen()
    made = seccomp.Filter(seccomp.refuse(errno.EPERM))
    for name in PLAIN:
        made.add(seccomp.ALLOW, name)
    for name, arguments in _bounded(listener):
        made.add(seccomp.ALLOW, name, *arguments)
    try:
        made.load()
    except OSError as error:
        raise Unconfined(f"this kernel shuts no worker in ({error.strerror}): it needs seccomp filters") from error


def named(name: str) -> None:
    """Calls this process so in lists of processes (15 bytes), and ends it when its parent ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def _bounded(listener: int) -> Iterable[tuple[str, tuple[seccomp.Argument, ...]]]:
    """Calls that are allowed with some arguments alone."""
    argument, equal, masked = seccomp.Argument, seccomp.EQUAL, seccomp.MASKED
    yield "listen", (argument(0, equal, listener),)
    yield "mmap", (argument(2, masked, PROT_EXEC, 0),)
    yield "mprotect", (argument(2, masked, PROT_EXEC, 0),)
    yield "ioctl", (argument(1, equal, FIONBIO),)
    yield "setsockopt", (argument(1, equal, TCP), argument(2, equal, NODELAY))
    yield "sendto", (argument(3, masked, MSG_FASTOPEN, 0), argument(4, equal, 0))
    yield "sendmsg", (argument(2, masked, MSG_FASTOPEN, 0),)


def _unseen() -> None:
    """Nobody of the same user may look into this process, and no copy of its memory is ever left on a disk."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
