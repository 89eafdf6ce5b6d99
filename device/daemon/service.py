"""`referee run`: the daemon on real hardware, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import zmq

from device.bus.endpoints import runtime_dir
from device.bus.seats import Endpoints
from device.clock import Clock, WallClock
from device.daemon import assembly, backoff
from device.daemon.pulse import Pulse, Watchdog, watchdog_s
from device.daemon.referee import Referee
from device.daemon.vision import VisionWorker
from device.displays import oled
from device.displays.oled import DisplayLost
from device.journal import Journal
from device.session.table import TABLE
from device.settings.table import NoCamera, TableSettings

WATCHDOG_S = 30.0
_log = logging.getLogger(__name__)


async def serve(settings: TableSettings) -> None:
    """Runs until SIGTERM or SIGINT. Raises RefereeError for what cannot be used at the start."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    folder = runtime_dir(settings.runtime_dir)
    await _wait_after_crashes(settings, backoff.begin(folder, time.monotonic()), stop)
    if not stop.is_set():
        await _referee(settings, folder, stop)
    backoff.end(folder)


async def _referee(settings: TableSettings, folder: Path, stop: asyncio.Event) -> None:
    clock, pulse = WallClock(), Pulse()
    loop = asyncio.get_running_loop()
    period = watchdog_s() or WATCHDOG_S
    with Journal(settings.state_dir / "journal.db") as journal, zmq.Context() as context:
        panes = assembly.panes(settings, clock, pulse, told=_told)
        endpoints = Endpoints(context, folder, tuple(dict.fromkeys((*panes, TABLE))))
        referee = Referee(
            assembly.session_table(settings),
            journal,
            clock,
            seed=secrets.randbits(62),
            fresh_seed=partial(secrets.randbits, 62),
            decks=settings.state_dir,
            displays=panes,
            vision=_vision(settings, pulse),
            publish=endpoints.publish,
            round_s=period / 6,
            pulse=pulse,
        )
        panels = assembly.panels(settings, referee.listen, now=clock.now, post=loop.call_soon_threadsafe)
        welcome = asyncio.ensure_future(_welcome(endpoints, clock))
        try:
            await referee.run(panels, Watchdog(pulse, clock, period / 3), stop)
        finally:
            welcome.cancel()
            endpoints.close()
            for panel in panels:
                panel.close()


async def _wait_after_crashes(settings: TableSettings, seconds: float, stop: asyncio.Event) -> None:
    """Before waiting, what a crash left lit goes dark: it may be somebody's secret."""
    if seconds <= 0:
        return
    _log.warning("started too often; waiting %.0f s", seconds)
    for display in assembly.displays(settings).values():
        with suppress(DisplayLost):
            oled.build(display).close()
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


def _vision(settings: TableSettings, pulse: Pulse) -> VisionWorker | None:
    if isinstance(settings.camera, NoCamera):
        return None
    pulse.watch("vision")
    return VisionWorker(assembly.worker_command(settings), settings.runtime_dir, beat=partial(pulse.beat, "vision"))


async def _welcome(endpoints: Endpoints, clock: Clock) -> None:
    while True:
        endpoints.welcome()
        await clock.sleep_until(clock.now() + 0.5)


def _told(display: str, there: bool) -> None:
    if there:
        _log.info("display %s answers", display)
    else:
        _log.warning("display %s does not answer; it is tried again", display)
