"""What systemd hears: each step of a start, for which it then waits longer; and a word for its watchdog, but only when
every loop of the daemon has made progress since the last one.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

from device.clock import Clock


class SystemdNotifier:
    """The loops that went round since the last check. round_s: the longest that one may rest, so that the watchdog sees
    it go round; None: as long as nothing is due, as in simulated time."""

    def __init__(self, loops: Iterable[str] = (), round_s: float | None = None) -> None:
        self._loops, self.round_s = set(loops), round_s
        self._seen: set[str] = set()

    def watch(self, loop: str) -> None:
        """This loop has to go round, too."""
        self._loops.add(loop)

    def beat(self, loop: str) -> None:
        """A loop went round, with its work done."""
        self._seen.add(loop)

    def missing(self) -> frozenset[str]:
        """Loops that did not go round since the last `clear`."""
        return frozenset(self._loops - self._seen)

    def clear(self) -> None:
        self._seen.clear()


def watchdog_s() -> float | None:
    """Return how often systemd wants to be told, in seconds; None if it does not watch this process."""
    usec, pid = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID")
    if not usec.isdigit() or (pid is not None and pid != str(os.getpid())):
        return None
    return int(usec) / 1e6


def notify(state: str) -> None:
    """Tell systemd how this process is: lines of sd_notify(3). Nothing happens where systemd did not start it."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place:
        return
    address = f"\0{place[1:]}" if place.startswith("@") else place
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel, suppress(OSError):
        channel.sendto(state.encode(), address)


REFEREEING = "STATUS=refereeing"
SIGN_S = 90.0
"""Within so long after a sign of life of a start there has to be another one; until the first it is the unit's
TimeoutStartSec, which is the same."""


def come_to(step: str) -> None:
    """A sign of life of a start: it has come to a step, each of which it says once. systemd then waits for SIGN_S more
    (EXTEND_TIMEOUT_USEC of sd_notify(3)), so a slow machine may take its time, and a start that hangs is still killed.
    """
    notify(f"STATUS=starting: {step}\nEXTEND_TIMEOUT_USEC={SIGN_S * 1e6:.0f}")


class Watchdog:
    """Tells systemd READY, and then that the work goes on: never merely that the process lives."""

    def __init__(
        self, notifier: SystemdNotifier, clock: Clock, period_s: float, tell: Callable[[str], None] | None = None
    ) -> None:
        """period_s: a part of the watchdog's time, so that one round may be late."""
        self._pulse, self._clock, self._period_s = notifier, clock, period_s
        self._notify: Callable[[str], None] = tell or notify

    def ready(self) -> None:
        self._notify(f"READY=1\n{REFEREEING}")

    def stopping(self) -> None:
        self._notify("STOPPING=1")

    async def run(self) -> None:
        """Feeds the watchdog until cancelled."""
        while True:
            await self._clock.sleep_until(self._clock.now() + self._period_s)
            late = self._pulse.missing()
            if late:
                self._notify(f"STATUS=waiting for {', '.join(sorted(late))}")
                continue
            self._notify(f"{REFEREEING}\nWATCHDOG=1")
            self._pulse.clear()
