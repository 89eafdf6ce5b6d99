"""The gateway of a virtual table: the shipped keeper and its workers, as processes of the simulator's own.

Workers are shut in as they are at a real table. Where this kernel cannot do that they go on without, and it is said:
there is nothing to guard but a simulated evening.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from device.bus.page_frames import AUDIENCES, port_of
from device.settings import TableSettings
from device.web.serving import PageError, check_free, opened
from engine.table import Seat
from referee_phones import confine
from referee_phones.app import Demo
from referee_phones.content import plan
from referee_phones.keeper import NOT_SHUT_IN
from referee_phones.plan import handed_over

AFTER_BENCH = 2
"""The table's page has the port of the bench's socket and so many more."""

TRIES = 50
AGAIN_S = 1.0
REMEDY = "choose another --host or --port"
KEEPER = """
import sys
from referee_phones import confine, keeper
confine.named("referee-pages")
sys.exit(keeper.main(sys.argv[1:]))
"""
"""The keeper, which ends with the simulator however that ends."""

_log = logging.getLogger(__name__)


class Doors(msgspec.Struct, frozen=True):
    """The addresses of an evening's pages.

    table: what everybody may see. seats: each takes its seat, as often as one browser opens it. bench: the table's page
    with the bench, which shows and moves everything. owner: makes the browser that opens it the owner's, once.
    abroad: other machines reach them.
    """

    table: str
    seats: Mapping[Seat, str]
    bench: str
    owner: str = ""
    abroad: bool = False


def first_port(port: int, host: str) -> int:
    """The port of the table's page, if the bench's socket has this one; 0: one that is free, with those behind it
    that the seats have. Raises PageError if there are none."""
    if port:
        return port + AFTER_BENCH
    for _ in range(TRIES):
        with ExitStack() as held:
            first = held.enter_context(opened(host, 0, REMEDY)).getsockname()[1]
            try:
                for audience in AUDIENCES[1:]:
                    held.enter_context(opened(host, port_of(audience, first), REMEDY))
            except (PageError, OverflowError):
                continue
            return int(first)
    raise PageError(f"no ports are free at {host}: {REMEDY}")


async def check_ports(port: int, host: str) -> None:
    """Raises PageError if a page of these could not be served, for what takes long to prepare."""
    await check_free(host, port)
    if port:
        for audience in AUDIENCES:
            await check_free(host, port_of(audience, port + AFTER_BENCH))


class Gateway:
    """settings: the table's. folder: of the daemon's sockets. demo: what pages of a virtual table have beside."""

    def __init__(self, settings: TableSettings, folder: Path, host: str, demo: Demo) -> None:
        self._settings, self._folder, self._host, self._demo = settings, folder, host, demo
        self._shut_in = True

    async def run(self) -> None:
        """Run until cancelled. Raises PageError if a port is taken."""
        with ExitStack() as held:
            first = self._settings.pages.port
            listeners = [
                held.enter_context(opened(self._host, port_of(audience, first), REMEDY)) for audience in AUDIENCES
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
                code = await _kept(handed_over(made), [each.fileno() for each in listeners])
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


async def _kept(number: int, listeners: Sequence[int]) -> int:
    """Runs a keeper with a plan, until it ends or this is cancelled; its exit code."""
    try:
        keeper = await asyncio.create_subprocess_exec(
            sys.executable, "-c", KEEPER, str(number), pass_fds=(number, *listeners), start_new_session=True
        )  # a session of its own: Ctrl-C reaches the simulator alone, which ends the pages in their order
    finally:
        os.close(number)
    try:
        return await keeper.wait()
    finally:
        if keeper.returncode is None:
            keeper.terminate()
            await keeper.wait()
