"""Reports starts and progress of all loops to systemd."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

from device.clock import Clock


class SystemdNotifier:
    """Loops that ran since the last check. round_s: longest rest; None in simulated time."""

    def __init__(self, loops: Iterable[str] = (), round_s: float | None = None) -> None:
        self._loops, self.round_s = set(loops), round_s
        self._seen: set[str] = set()

    def watch(self, loop: str) -> None:
        """Require rounds of this loop, too."""
        self._loops.add(loop)

    def beat(self, loop: str) -> None:
        """Record a completed round."""
        self._seen.add(loop)

    def missing(self) -> frozenset[str]:
        """Return loops without a round since `clear`."""
        return frozenset(self._loops - self._seen)

    def clear(self) -> None:
        self._seen.clear()


def watchdog_s() -> float | None:
    """Return the watchdog's period in seconds; None without one for this process."""
    usec, pid = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID")
    if not usec.isdigit() or (pid is not None and pid != str(os.getpid())):
        return None
    return int(usec) / 1e6


def notify(state: str) -> None:
    """Send lines of sd_notify(3) to systemd, if it runs this process."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place:
        return
    address = f"\0{place[1:]}" if place.startswith("@") else place
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel, suppress(OSError):
        channel.sendto(state.encode(), address)


REFEREEING = "STATUS=refereeing"
SIGN_S = 90.0
"""Seconds to the next progress report, as in the unit's TimeoutStartSec."""


def come_to(step: str) -> None:
    """Report a start-up step and extend systemd's time limit by SIGN_S (EXTEND_TIMEOUT_USEC, sd_notify(3))."""
    notify(f"STATUS=starting: {step}\nEXTEND_TIMEOUT_USEC={SIGN_S * 1e6:.0f}")


class Watchdog:
    """Reports READY to systemd, then progress of all loops. period_s: a fraction of systemd's limit, so that one round
    may be late."""

    def __init__(
        self, notifier: SystemdNotifier, clock: Clock, period_s: float, tell: Callable[[str], None] | None = None
    ) -> None:
        self._pulse, self._clock, self._period_s = notifier, clock, period_s
        self._notify: Callable[[str], None] = tell or notify

    def ready(self) -> None:
        self._notify(f"READY=1\n{REFEREEING}")

    def stopping(self) -> None:
        self._notify("STOPPING=1")

    async def run(self) -> None:
        """Feed the watchdog each period in which every loop ran, until cancelled."""
        while True:
            await self._clock.sleep_until(self._clock.now() + self._period_s)
            late = self._pulse.missing()
            if late:
                self._notify(f"STATUS=waiting for {', '.join(sorted(late))}")
                continue
            self._notify(f"{REFEREEING}\nWATCHDOG=1")
            self._pulse.clear()
