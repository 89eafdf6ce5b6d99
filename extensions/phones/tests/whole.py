"""A whole table without displays or buttons, and its pages: `referee run` and `referee pages`, as processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from device.web.audiences import AUDIENCES
from extensions.phones.tests.daemon.phone import Phone
from tests.device.daemon.managing import ROOT, Manager

WAIT_S = 60.0


@dataclass
class Whole:
    """port: of the table's page; the seats have the next four."""

    folder: Path
    port: int
    referee: Manager
    pages: subprocess.Popen[bytes]

    def page_of(self, audience: str) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port + AUDIENCES.index(audience)}"

    def restart(self) -> None:
        """The daemon ends, and comes back."""
        assert self.referee.process is not None
        self.referee.process.kill()
        self.referee.process.wait()
        self.referee.start()


@contextlib.contextmanager
def whole(folder: Path, more: str = "") -> Iterator[Whole]:
    """more: lines for [pages]."""
    referee, port = Manager(folder), free_ports(len(AUDIENCES))
    table, _, _ = referee.table.read_text(encoding="utf-8").partition("[seats.a")
    pages = f'[pages]\non = true\nport = {port}\ngroup = ""\nhosts = ["127.0.0.1"]\n{more}\n'
    referee.table.write_text(table + pages, encoding="utf-8")
    threading.Thread(target=_heard, args=(referee.notices,), daemon=True).start()
    referee.start()
    command = (sys.executable, "-c", "from device.cli import main; main()", "pages", "--table", str(referee.table))
    with (folder / "log").open("wb") as log:
        serving = subprocess.Popen((*command, "--host", "127.0.0.1"), cwd=ROOT, stdout=log, stderr=log)
    try:
        yield Whole(folder, port, referee, serving)
    finally:
        serving.terminate()
        serving.wait(WAIT_S)
        if referee.process is not None and referee.process.poll() is None:
            referee.process.kill()
            referee.process.communicate()
        referee.notices.close()


def _heard(notices: socket.socket) -> None:
    """As systemd does: who never reads the notices of a service brings it to a stand in the end."""
    with contextlib.suppress(OSError):
        while True:
            with contextlib.suppress(TimeoutError):
                notices.recv(4096)


def free_ports(count: int) -> int:
    """The first of so many in a row that nobody uses now."""
    for first in range(21_000, 60_000, count):
        with contextlib.ExitStack() as held:
            try:
                for number in range(first, first + count):
                    held.enter_context(socket.create_server(("127.0.0.1", number)))
            except OSError:
                continue
            return first
    raise RuntimeError("no port is free")


class Page:
    """A page that is open. sheet: all that it shows; told: what it was told beside that; at: when it last changed.
    wire: every message in either direction, as whoever listens hears it without TLS."""

    def __init__(self, link: aiohttp.ClientWebSocketResponse) -> None:
        self.link = link
        self.challenge, self.wire = "", list[str]()
        self.sheet: dict[str, Any] = {}
        self.told: list[dict[str, Any]] = []
        self.at: list[float] = []
        self._listening = asyncio.ensure_future(self._listen())

    async def say(self, **message: object) -> None:
        self.wire.append(json.dumps(message))
        await self.link.send_str(self.wire[-1])

    async def join(self, code: str, phone: Phone) -> None:
        """A phone says that it has a code, or a number."""
        await self.until(lambda page: page.challenge)
        await self.say(**phone.joins(self.challenge, code))

    async def back(self, phone: Phone) -> None:
        """A phone comes back."""
        await self.until(lambda page: page.challenge)
        await self.say(**phone.returns(self.challenge))

    async def tap(self, line: int) -> None:
        await self.say(tap={"serial": self.sheet["answers"]["serial"], "line": line, "menu": False})

    async def until(self, holds: Any) -> None:
        """Waits until something holds for it."""
        async with asyncio.timeout(WAIT_S):
            while not holds(self):
                await asyncio.sleep(0.005)

    async def close(self) -> None:
        self._listening.cancel()
        await self.link.close()

    async def _listen(self) -> None:
        async for message in self.link:
            self.wire.append(message.data)
            said = message.json()
            if "sheet" in said:
                self.sheet.update(said["sheet"])
                self.at.append(time.monotonic())
            elif "challenge" in said:
                self.challenge = said["challenge"]
            else:
                self.told.append(said)


@contextlib.asynccontextmanager
async def opened(session: aiohttp.ClientSession, address: str) -> AsyncIterator[Page]:
    """A page, once the table is ready for it."""
    async with asyncio.timeout(WAIT_S):
        while True:
            try:
                link = await session.ws_connect(f"{address}/link?lang=en")
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
                continue
            page = Page(link)
            await asyncio.sleep(0.05)
            if not any(each.get("why") == "away" for each in page.told) and not link.closed:
                break
            await page.close()
            await asyncio.sleep(0.2)
    try:
        yield page
    finally:
        await page.close()


def code_of(table: Page, seat: str) -> str:
    """The code that the table's page offers for a seat."""
    return next(str(each["address"]).partition("#")[2] for each in table.sheet["codes"] if each["seat"] == seat)
