"""One life of the whole service, for the kill test: `referee run` with simulated pins, played at, killed at a call.

It runs what systemd starts (`device.daemon.service.serve`): real time, threads, sockets, the vision worker with its own
process. Only the pins are simulated, and what displays are given is noted. There are no displays: those that are wired
do not answer, and are tried again and again, as at a table whose displays are unplugged.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import gpiozero
import msgspec
import numpy as np

from device import games
from device.daemon import service
from device.daemon.core import Core, Store
from device.daemon.match_identity import Chance
from device.daemon.referee import Ports
from device.daemon.safe_mode import Begun
from device.screens.screen import BLANK, Screen
from device.session.state import Play
from device.session.table import KnownGame, Table
from device.settings import load, template
from device.settings.table import NoCamera, Recording, TableSettings
from engine.entry import Entry
from engine.errors import RefereeError
from referee_simulator.disk.shim import Disk
from referee_simulator.fault_runs.judge import digest
from referee_simulator.fault_runs.players import AtButtons
from referee_simulator.hardware.pins import Pins, wiring_of
from referee_simulator.players.world import Course, Hold, Pause, Tap, Wish

GAME = "tellstones"
HOLD_S, AFTER_S = 0.06, 0.06
WORKER_KILLED = "worker-killed"
MOST = 60
"""Actions after which everybody gives up."""


def load_game() -> KnownGame:
    """The game that is played."""
    spec = games.spec(GAME)
    return KnownGame(spec, games.game(spec))


def settings_of(folder: Path, *, camera: bool) -> TableSettings:
    """A table of two seats, with the camera if there is to be a worker; its files in a folder."""
    shipped = load(template("simulated"))
    pictures = folder / "pictures"
    if camera and not pictures.exists():
        pictures.mkdir()
        cv2.imwrite(str(pictures / "empty.png"), np.full((480, 640, 3), 90, dtype=np.uint8))
    return msgspec.structs.replace(
        shipped,
        seats={seat: shipped.seats[seat] for seat in ("a", "b")},
        camera=Recording(path=pictures) if camera else NoCamera(),
        runtime_dir=folder / "run",
        state_dir=folder / "state",
    )


class Heard(Core):
    """The core, which also tells which match each screen follows from."""

    tell: Connection
    living: Heard

    def __init__(self, table: Table, store: Store, chance: Chance, ports: Ports, **named: Any) -> None:
        self.screens: dict[str, Screen] = {}
        Heard.living = self
        if named["told"] or store.unsaved:
            self.tell.send_bytes(f"told {named['told']} {store.unsaved}".encode())
        ports = msgspec.structs.replace(ports, outlets=(*ports.outlets, self._note_screen))
        super().__init__(table, store, chance, ports, **named)

    def _note_screen(self, display: str, screen: Screen, _language: str) -> None:
        self.screens[display] = screen
        if hasattr(self, "session") and isinstance(self.session.stage, Play):
            self.tell.send_bytes(str(digest(self.session.stage.match)).encode())


class Seats:
    """What players have: fingers and eyes, in real time. The same as `FaultRun` offers to `AtButtons`."""

    calm, unsaved = True, False

    def __init__(self, settings: TableSettings, pins: Pins) -> None:
        self.pins = pins
        self.oleds = dict.fromkeys(sorted(settings.seats))

    @property
    def now(self) -> float:
        return time.monotonic()

    def screen(self, panel: str) -> Screen:
        return Heard.living.screens.get(panel, BLANK)

    def entries(self) -> Sequence[Entry]:
        return Heard.living.journal.current_entries()

    def call(self) -> None:
        """There are no faults to be called."""

    async def play(self, course: Course) -> None:
        for wish in course:
            await self._grant(wish)

    async def _grant(self, wish: Wish) -> None:
        match wish:
            case Tap(panel, button):
                self.pins.tap(panel, button, self.now, HOLD_S)
                await self._let(HOLD_S + AFTER_S)
            case Hold(panel, button, down):
                (self.pins.press if down else self.pins.release)(panel, button, self.now)
                await self._let(AFTER_S)
            case Pause(seconds):
                await self._let(seconds)
            case _:
                raise ValueError("there is nothing here that hands could handle")

    async def _let(self, seconds: float) -> None:
        """Time passes, and contacts move in it."""
        until = self.now + seconds
        while self.now < until:
            self.pins.advance(self.now)
            due = self.pins.due()
            await asyncio.sleep(max(0.0, min(until, due if due is not None else until) - self.now))
        self.pins.advance(self.now)


class Fingers(AtButtons):
    """Players who never give up looking: time is real here, and the machine may be busy."""

    def _check_result(self) -> None:
        """Whether the displays show it, nobody sees here."""


def live(folder: Path, seed: int, kill_at: int, writer: Connection, worker_at: int = 0) -> None:
    """In a process of its own: the service until it is killed at a call, or the match is over. worker_at: the worker is
    killed at this call of its own, once."""
    logging.disable(logging.CRITICAL)
    settings = settings_of(folder, camera=worker_at > 0)
    settings.state_dir.mkdir(exist_ok=True)
    if worker_at:
        os.environ |= {
            "LYING_DISK_IN": "vision.worker",
            "LYING_DISK_FOLDER": str(folder.resolve()),
            "LYING_DISK_KILL": str(worker_at),
            "LYING_DISK_ONCE": str(folder / WORKER_KILLED),
        }
    pins = Pins(wiring_of(settings), seed)
    gpiozero.Device.pin_factory = pins.factory
    Heard.tell = writer
    vars(service)["Core"] = Heard
    Disk(settings.state_dir).kill(kill_at)
    try:
        asyncio.run(_play(settings, pins, seed))
    except RefereeError as error:
        writer.send_bytes(f"told {error}".encode())
    writer.send_bytes(b"over 1")
    os._exit(0)


async def _play(settings: TableSettings, pins: Pins, seed: int) -> None:
    serving = asyncio.ensure_future(service.serve(Begun(settings)))
    while not hasattr(Heard, "living"):
        await asyncio.sleep(0.01)
        if serving.done():
            await serving
    await asyncio.sleep(0.3)
    seats: Any = Seats(settings, pins)
    folk = Fingers(seats, Heard.living.table, GAME, 2, seed, {}, MOST)
    playing = asyncio.ensure_future(seats.play(folk.life()))
    await asyncio.wait((serving, playing), return_when=asyncio.FIRST_COMPLETED)
    await (serving if serving.done() else playing)
