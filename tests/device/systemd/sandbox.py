"""Runs a command under a unit's own system call filter, where no systemd runs: sandbox.py UNIT COMMAND...

It reads the unit's lines and does with them, by libseccomp, what systemd's seccomp-util.c does: an allow-list whose
groups `systemd-analyze syscall-filter` names; what systemd knows and the list lacks is answered with the unit's error
number, what it does not know with ENOSYS; sockets of other families with EAFNOSUPPORT; realtime policies with EPERM. A
list that only denies lets through what it does not name. The capabilities of a unit of root's are all that is left.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
from functools import cache

from referee_phones.libseccomp import ALLOW, EQUAL, GREATER, Argument, Filter, refuse
from tests.device.systemd.units import ROOTS, unit

LAST_FAMILY = 46
"""The kernel's AF_MAX."""
USABLE = shutil.which("systemd-analyze") is not None


@cache
def group(name: str) -> frozenset[str]:
    """The system calls of a group such as @resources, also of those that it names."""
    told = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    lines = [line.strip() for line in told.stdout.splitlines()[1:]]
    names = {line for line in lines if line and not line.startswith(("#", "@"))}
    return frozenset(names.union(*(group(line) for line in lines if line.startswith("@"))))


def allowed(lines: list[str]) -> frozenset[str]:
    """What the lines of SystemCallFilter let through of what systemd knows; the first says whether that begins with
    little or with all."""
    calls = set(group("@known" if lines[0].startswith("~") else "@default"))
    for line in lines:
        names = line.removeprefix("~").split()
        meant = set[str]().union(*(group(name) if name.startswith("@") else {name} for name in names))
        calls = calls - meant if line.startswith("~") else calls | meant
    return frozenset(calls)


def calls_filter(lines: list[str], refused: int) -> Filter:
    """The filter of system calls. refused: the error number of SystemCallErrorNumber."""
    denies = lines[0].startswith("~")
    made, through = Filter(ALLOW if denies else refuse(errno.ENOSYS)), allowed(lines)
    for name in sorted((group("@known") | through) - (through if denies else frozenset())):
        made.add(ALLOW if name in through else refuse(refused), name)
    return made


def families_filter(families: list[str]) -> Filter:
    """Sockets of these families alone."""
    made, numbers = Filter(ALLOW), {getattr(socket, family).value for family in families}
    for family in set(range(LAST_FAMILY)) - numbers:
        made.add(refuse(errno.EAFNOSUPPORT), "socket", Argument(0, EQUAL, family))
    made.add(refuse(errno.EAFNOSUPPORT), "socket", Argument(0, GREATER, LAST_FAMILY - 1))
    return made


def realtime_filter() -> Filter:
    """No realtime policy, which could starve the machine."""
    made = Filter(ALLOW)
    usual = {os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_IDLE}
    for policy in set(range(max(usual))) - usual:
        made.add(refuse(errno.EPERM), "sched_setscheduler", Argument(1, EQUAL, policy))
    made.add(refuse(errno.EPERM), "sched_setscheduler", Argument(1, GREATER, max(usual)))
    return made


def confine(name: str) -> None:
    """Puts this process, and all that it starts, under the filters of a unit."""
    lines = unit(name)
    filters = [families_filter(" ".join(lines["RestrictAddressFamilies"]).split())]
    if lines["RestrictRealtime"] == ["yes"]:
        filters.append(realtime_filter())
    filters.append(calls_filter(lines["SystemCallFilter"], getattr(errno, lines["SystemCallErrorNumber"][0])))
    for each in filters:
        each.load()


def command(name: str, *words: str) -> tuple[str, ...]:
    """A command under the filters of a unit, to be run in the checkout; as root without the other rights of root."""
    within = (sys.executable, "-m", "tests.device.systemd.sandbox", name, *words)
    if name not in ROOTS or os.getuid() != 0:
        return within
    kept = " ".join(unit(name)["CapabilityBoundingSet"]).lower().split()
    rights = ",".join(("-all", *(f"+{each.removeprefix('cap_')}" for each in kept)))
    return ("setpriv", f"--bounding-set={rights}", "--inh-caps=-all", "--no-new-privs", *within)


if __name__ == "__main__":
    confine(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
