"""A virtual table's gateway: the shipped keeper and workers as child processes.

Workers are confined where the kernel supports it; otherwise a warning is logged."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from device.settings import TableSettings
from device.web.audiences import AUDIENCES, port_of
from device.web.serving import PageError, check_free, listen
from engine.table import Seat
from referee_phones import confine
from referee_phones.app import Demo
from referee_phones.content import plan
from referee_phones.keeper import NOT_SHUT_IN
from referee_phones.plan import handed_over

AFTER_BENCH = 2
"""Ports from the simulator's socket to the table's page."""

TRIES = 50
PORTS = range(20_000, 30_000)
"""Below those that Linux gives to sockets by itself (32,768 and more), so they stay free until they are used."""

AGAIN_S = 1.0
REMEDY = "choose another --host or --port"
KEEPER = """
import sys
from referee_phones import confine, keeper
confine.name_process("referee-pages")
sys.exit(keeper.main(sys.argv[1:]))
"""
"""Code of the keeper, which ends with the simulator."""

_log = logging.getLogger(__name__)


class Doors(msgspec.Struct, frozen=True):
    """Addresses of the pages.

    seats: each takes its seat, for one browser at a time
    bench: table's page with the simulator
    owner: makes its browser the owner's, once
    abroad: reachable from other machines"""

    table: str
    seats: Mapping[Seat, str]
    bench: str
    owner: str = ""
    abroad: bool = False


def first_port(port: int, host: str) -> int:
    """Return the table page's port for this simulator port; 0 finds free ones. Raises PageError if none are."""
    if port:
        return port + AFTER_BENCH
    for first in random.sample(PORTS, TRIES):
        with ExitStack() as held, suppress(PageError):
            for audience in AUDIENCES:
                held.enter_context(listen(host, port_of(audience, first), REMEDY))
            return first
    raise PageError(f"no ports are free at {host}: {REMEDY}")


async def check_ports(port: int, host: str) -> None:
    """Raise PageError if a page's port is taken."""
    await check_free(host, port)
    if port:
        for audience in AUDIENCES:
            await check_free(host, port_of(audience, port + AFTER_BENCH))


class Gateway:
    def __init__(self, settings: TableSettings, folder: Path, host: str, demo: Demo) -> None:
        self._settings, self._folder, self._host, self._demo = settings, folder, host, demo
        self._shut_in = True

    async def run(self) -> None:
        with ExitStack() as held:
            first = self._settings.pages.port
            listeners = [
                held.enter_context(listen(self._host, port_of(audience, first), REMEDY)) for audience in AUDIENCES
            ]
            self._can_shut_in()
            settings = self._settings
            while True:
                made = await asyncio.to_thread(
                    plan,
                    settings.pages,
                    settings.language,
                    self._folder,
                    listeners,
                    shut_in=self._shut_in,
                    demo=self._demo,
                )
                code = await _run_keeper(handed_over(made), [each.fileno() for each in listeners])
                if code == NOT_SHUT_IN:
                    self._open("this kernel has no seccomp filters")
                    continue
                if code:
                    _log.error("the keeper of the pages ended (%d); another is started", code)
                await asyncio.sleep(AGAIN_S)

    def _can_shut_in(self) -> None:
        try:
            confine.check()
        except confine.Unconfined as error:
            self._open(str(error))

    def _open(self, why: str) -> None:
        self._shut_in = False
        _log.warning("the workers of the pages are not shut in here, which a real table insists on: %s", why)


async def _run_keeper(number: int, listeners: Sequence[int]) -> int:
    try:
        keeper = await asyncio.create_subprocess_exec(
            sys.executable, "-c", KEEPER, str(number), pass_fds=(number, *listeners), start_new_session=True
        )  # Ctrl-C reaches only the simulator, which ends the pages in order
    finally:
        os.close(number)
    try:
        return await keeper.wait()
    finally:
        if keeper.returncode is None:
            keeper.terminate()
            await keeper.wait()
