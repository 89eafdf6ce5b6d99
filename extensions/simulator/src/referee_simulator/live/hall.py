"""Virtual tables of a club, each in its own process, with its publisher in another."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from device.bus.endpoints import socket_path
from engine.errors import RefereeError
from referee_record.daemon.public_socket import NAME
from referee_record.herald import herald
from referee_record.herald.bundle import Bundle
from referee_simulator.live import headless_table
from vision.files import private_dir, write_whole

GAMES = ("tellstones", "fence", "planetx", "runes")

AGAIN_S = 1.0

_log = logging.getLogger(__name__)


class NoClub(RefereeError, ImportError):
    """The club extension is not installed."""


class Process:
    """A process restarted whenever it ends. words: the interpreter's arguments."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self.again_s = AGAIN_S
        """Seconds until the restart."""
        self.running: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        command = ("setpriv", "--pdeathsig", "KILL", "--", sys.executable, *self._words)
        while True:
            self.running = process = await asyncio.create_subprocess_exec(*command, stdout=sys.stderr)
            try:
                code = await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
            _log.warning("%s ended with %s, and is started again", " ".join(self._words)[:40], code)
            await asyncio.sleep(self.again_s)

    @property
    def pid(self) -> int:
        """Process id; 0 if not running."""
        return 0 if self.running is None or self.running.returncode is not None else self.running.pid

    def send(self, number: signal.Signals) -> None:
        if self.running is not None and self.running.returncode is None:
            self.running.send_signal(number)


class HallTable(msgspec.Struct, frozen=True):
    """A table with its publisher. folder: the table's."""

    name: str
    folder: Path
    table: Process
    herald: Process


def add_tables(
    count: int, of: Path, folder: Path, seed: int, *, speed: float = 1.0, port: int | None = None
) -> list[HallTable]:
    """Add tables to the club in folder `of`; return them, not yet running. speed: see `headless_table.Plan`. port: the
    broker's, if not its own. Raises RefereeError without such a club, and OSError."""
    return [_add_table(number, of, private_dir(folder), seed, speed, port) for number in range(1, count + 1)]


def _member(of: Path, name: str) -> Bundle:
    try:
        from referee_club import club
    except ImportError as error:
        raise NoClub("many tables report to a club: install its extension (pip install extensions/club)") from error
    return club.add_table(of, name)


def _add_table(number: int, of: Path, folder: Path, seed: int, speed: float, port: int | None) -> HallTable:
    name, own = f"virtual-{number}", private_dir(folder / str(number))
    bundle = _member(of, name)
    certificate, key, authority = own / "certificate", own / "key", own / "authority"
    for path, text in ((certificate, bundle.certificate), (key, bundle.key), (authority, bundle.authority)):
        write_whole(path, text.encode(), mode=0o600)
    host, _, own_port = bundle.broker.partition(":")
    socket = socket_path(own / "run" / "public", NAME)
    told = herald.Plan(str(socket), name, host, port or int(own_port), str(certificate), str(key), str(authority))
    plays = headless_table.Plan(str(own), name, GAMES[number % len(GAMES)], 1000 * seed + 100 * number, speed)
    table = Process("-m", "referee_simulator.live.headless_table", msgspec.json.encode(plays).decode())
    return HallTable(name, own, table, Process("-m", "referee_record.herald", msgspec.json.encode(told).decode()))


async def run(tables: list[HallTable], ready: Callable[[str], None] = lambda _name: None) -> None:
    async with asyncio.TaskGroup() as all_of_them:
        for each in tables:
            all_of_them.create_task(each.table.run())
            all_of_them.create_task(each.herald.run())
            ready(each.name)
