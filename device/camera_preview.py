"""Runs the vision worker with pictures, for calibration and the owner.

Pictures reveal hidden pieces (law 5), so there are none during a match.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from device import games
from device.clock import WallClock
from device.daemon.assembly import worker_command
from device.daemon.referee import together
from device.daemon.vision_supervisor import VisionWorker
from device.session.match_start import look_at
from device.session.table import KnownGame, Table
from device.settings.table import NoCamera, TableSettings
from engine.catalogue import GameSpec, TableSetup, complete
from engine.entry import Start
from engine.errors import Invalid
from engine.table import SEATS
from engine.text import Text, say
from vision.messages import Picture, Report, ShowPictures, VisionSetup


class CameraPreview:
    """Receives the worker's reports and keeps its newest picture."""

    def __init__(
        self, settings: TableSettings, specs: Sequence[GameSpec], folder: Path, longest: int | None = None
    ) -> None:
        """Set it up. specs: possible games, likeliest first. longest: as in `ShowPictures`. Raises OSError,
        BadFile, and Invalid without a camera or mat."""
        if isinstance(settings.camera, NoCamera):
            raise Invalid(say("This table has no camera."))
        self._looks = {look.mat: look for spec in specs for table in spec.tables for look in _looks(spec, table)}
        if not self._looks:
            raise Invalid(say("{game} needs no mat.", game=specs[0].title))
        self._look, self._longest = next(iter(self._looks.values())), longest
        self.clock = WallClock()
        settings = msgspec.structs.replace(settings, runtime_dir=folder)
        self.worker = VisionWorker(worker_command(settings, pictures=True), folder, pictures=self._on_frame)
        self._newest: Picture | None = None

    def picture(self) -> Picture | None:
        return self._newest

    def on_report(self, report: Report) -> None:
        """Switch to another known mat that is found."""
        if report.instead in self._looks and report.instead != self._look.mat:
            self._look = self._looks[report.instead]
            self.worker.send(self._look)

    def silent(self, text: Text | None, *, starting: bool = False) -> None:
        if text is not None and not starting:
            self._newest = msgspec.structs.replace(self._newest or Picture(0, b""), hints=(text,))

    def worker_started(self) -> None:
        self.worker.send(self._look)
        self.worker.send(ShowPictures(True, self._longest))

    def _on_frame(self, picture: Picture) -> None:
        self._newest = picture


def _looks(spec: GameSpec, laid: TableSetup) -> list[VisionSetup]:
    known = KnownGame(spec, games.game(spec))
    mats = games.mats([laid.mat] if laid.mat else [])
    start = Start(0.0, spec.name, dict(complete(spec.options, dict(laid.when))), SEATS[: laid.seats[0]], 0)
    looks = look_at(Table((), {spec.name: known}, camera=True, mats=mats), known, start)
    return [look.message for look in looks if isinstance(look.message, VisionSetup)]


async def watch(
    settings: TableSettings, spec: GameSpec, folder: Path, *, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Serve the page until SIGINT or SIGTERM. ready: receives its address. Raises OSError, BadFile, Invalid without a
    camera or mat, and the error that ended the worker."""
    from device.web.calibrate import CameraPage  # imports a web server, which the daemon doesn't need

    preview, stop = CameraPreview(settings, [spec], folder), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    page = CameraPage(preview, host, port, settings.language)
    await page.start()
    try:
        ready(page.address())
        await together([preview.worker.run(preview)], stop)
    finally:
        await page.close()
