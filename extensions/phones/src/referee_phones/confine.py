"""Confines a worker: the kernel then allows only the use of its descriptors.

This is a seccomp allow-list (by libseccomp). All else fails with EPERM: opening files, new sockets and connections,
starting or signalling processes, io_uring, shared memory, executable memory. Workers are forked with one memory
layout; as none can reach another, that helps no attacker."""

from __future__ import annotations

import ctypes
import errno
import resource
from collections.abc import Iterable

from referee_phones import libseccomp

FIONBIO = 0x5421
TCP, NODELAY = 6, 1
PROT_EXEC = 4
MSG_FASTOPEN = 0x20000000
"""Sends without connect(2); refused, because a listening socket that was shut down could reach others with it."""

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME = 1, 4, 15
SIGKILL = 9

PLAIN = (
    # Its descriptors.
    "read", "write", "close", "accept", "accept4", "recvfrom", "getsockname", "getpeername", "getsockopt",
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl",
    # Memory, time, chance.
    "brk", "munmap", "mremap", "madvise", "futex", "clock_gettime", "clock_getres", "gettimeofday", "clock_nanosleep",
    "getrandom", "sched_yield", "restart_syscall", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid",
    # Own signals, exit.
    "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "sigaltstack", "exit", "exit_group",
)  # fmt: skip
"""Calls allowed with any arguments; none names a file or a process."""


class Unconfined(Exception):
    """A worker cannot be confined here; the message says why and what to do."""


def check() -> None:
    """Raise Unconfined if libseccomp is missing."""
    try:
        libseccomp.library()
    except OSError as error:
        raise Unconfined(f"no worker can be shut in without libseccomp ({error}): install libseccomp2") from error


def shut_in(listener: int) -> None:
    """Confine this process for ever; all modules must be loaded. listener: the listening socket's descriptor. Raises
    Unconfined."""
    check()
    _unseen()
    try:
        made = libseccomp.Filter(libseccomp.refuse(errno.EPERM))
        for name in PLAIN:
            made.add(libseccomp.ALLOW, name)
        for name, arguments in _bounded_calls(listener):
            made.add(libseccomp.ALLOW, name, *arguments)
        made.load()
    except OSError as error:
        raise Unconfined(f"this kernel shuts no worker in ({error.strerror}): it needs seccomp filters") from error


def name_process(name: str) -> None:
    """Name this process in process lists (15 bytes), and kill it when its parent ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0)
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def _bounded_calls(listener: int) -> Iterable[tuple[str, tuple[libseccomp.Argument, ...]]]:
    """Yield calls allowed with certain arguments only."""
    argument, equal, masked = libseccomp.Argument, libseccomp.EQUAL, libseccomp.MASKED
    yield "listen", (argument(0, equal, listener),)
    yield "mmap", (argument(2, masked, PROT_EXEC, 0),)
    yield "mprotect", (argument(2, masked, PROT_EXEC, 0),)
    yield "ioctl", (argument(1, equal, FIONBIO),)
    yield "setsockopt", (argument(1, equal, TCP), argument(2, equal, NODELAY))
    yield "sendto", (argument(3, masked, MSG_FASTOPEN, 0), argument(4, equal, 0))
    yield "sendmsg", (argument(2, masked, MSG_FASTOPEN, 0),)


def _unseen() -> None:
    """Forbid core dumps and inspection by other processes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
