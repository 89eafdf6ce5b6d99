"""What `referee calibrate` runs: the vision worker with pictures allowed, and the page that shows them.

Frames show peeks (law 5), so it runs by itself, never beside a match.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path

import msgspec

from device import games
from device.clock import WallClock
from device.daemon.assembly import worker_command
from device.daemon.referee import together
from device.daemon.vision import VisionWorker
from device.session.opening import look_at
from device.session.table import Known, Table
from device.settings.table import NoCamera, TableSettings
from device.web.calibrate import CameraPage
from engine.catalogue import GameSpec
from engine.entry import Start
from engine.errors import Invalid
from engine.options import complete
from engine.text import Text, say
from vision.link import Picture, Report, Show


class Lookout:
    """Told of the worker in the referee's place; keeps its newest picture."""

    def __init__(self, settings: TableSettings, spec: GameSpec, folder: Path) -> None:
        """Raises Invalid without a camera, or for a game without a mat."""
        if isinstance(settings.camera, NoCamera):
            raise Invalid(say("This table has no camera."))
        known = Known(spec, games.game(spec))
        laid = spec.tables[0]
        mats = games.mats([laid.mat] if laid.mat else [])
        start = Start(0.0, spec.name, dict(complete(spec.options, {})), ("a", "b", "c", "d")[: laid.seats[0]], 0)
        self._looks = look_at(Table((), {spec.name: known}, camera=True, mats=mats), known, start)
        if not self._looks:
            raise Invalid(say("{game} needs no mat.", game=spec.title))
        self.clock = WallClock()
        settings = msgspec.structs.replace(settings, runtime_dir=folder)
        self.worker = VisionWorker(worker_command(settings, pictures=True), folder, pictures=self._got)
        self._newest: Picture | None = None

    def picture(self) -> Picture | None:
        return self._newest

    def seen(self, report: Report) -> None:
        """The page shows pictures, not reports."""

    def silent(self, text: Text | None) -> None:
        if text is not None and self._newest is not None:
            self._newest = msgspec.structs.replace(self._newest, hints=(text,))

    def worker_started(self) -> None:
        for look in self._looks:
            self.worker.send(look.message)
        self.worker.send(Show(True))

    def _got(self, picture: Picture) -> None:
        self._newest = picture


async def watch(
    settings: TableSettings, spec: GameSpec, folder: Path, *, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Until SIGINT or SIGTERM; `ready` hears the page's address. Raises OSError if the port is taken."""
    lookout, stop = Lookout(settings, spec, folder), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    page = CameraPage(lookout, host, port, settings.language)
    await page.start()
    try:
        ready(page.address())
        await together([lookout.worker.run(lookout)], stop)
    finally:
        await page.close()
