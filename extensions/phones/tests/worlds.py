"""Two tables that differ in secrets, each with the gateway as it is shipped, and a browser's WebSocket at every page.

What is real: the daemon's sockets and pages (`referee_phones.daemon`), the keeper and its
shut-in workers as processes, TLS over TCP. What is not: the session is set from outside, and time is told."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import msgspec

from device.daemon.maintenance import STAGE, Inventory, Maintenance
from device.daemon.referee import Referee
from device.owner.claim import BITS, Claim
from device.owner.claim_files import OwnerFiles
from device.owner.context import Facts
from device.screens.page_view import PageView
from device.session.messages import Input
from device.session.page_views import sheet
from device.session.state import Play, Session, SetupPage
from device.session.step import step
from device.settings.table import NoCamera, PagesSettings, TableSettings
from device.web.audiences import AUDIENCES, OWNER
from engine.table import Seat
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.stand_in import ROOT
from referee_phones.content import plan
from referee_phones.daemon import seats
from referee_phones.daemon.page_server import Address, OwnerParts, PageServer
from referee_phones.daemon.pages import OTHERS_S, SheetLink
from referee_phones.daemon.seats import SeatedPhones
from referee_phones.daemon.sockets import WorkerConnection
from referee_phones.frames import SAID_BYTES, FromWorker, To, ToWorker
from referee_phones.plan import handed_over
from referee_phones.tls import certificates
from referee_phones.websocket import pad_json
from tests.device.session.leaks import Leak
from tests.device.session.stages import set_up, table

replace = msgspec.structs.replace
SEATS: tuple[Seat, ...] = ("a", "b", "c")
"""Who plays, and who has a phone and does not play."""

WATCHED = ("table", *SEATS)
PHONES = {seat: Phone(f"{number:032}") for number, seat in enumerate(SEATS)}
OWNERS = Phone("9" * 32)
READ = "Table status"
STAGES = "6"
"""The owner's first run is over."""

PATIENCE_S = 60.0
ASK = "GET /link?lang={language} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"  # fmt: skip
TEXT, PING, PONG = 1, 9, 10
"""RFC 6455, 5.2."""


HEAD = 5
"""Bytes of a record's head (RFC 8446, 5.1): the last two are its length."""


OwnLeak = Callable[..., None]
"""Shows a seat's page what it shows (`daemon.pages.Pages._show`, its first argument), but not as it should."""


class Sealed(NamedTuple):
    """A frame as the network sees it. at: the place of the grid that it is for; records: their lengths in bytes."""

    at: float | None
    records: tuple[int, ...]


class Browser(asyncio.Protocol):
    """One page, encrypted. heard: the frames that came, byte by byte as they were, without pings: the head of each and
    its contents; sealed: the same frames as the network sees them. count: messages of the daemon that came."""

    def __init__(self, language: str) -> None:
        self._data, self._opened, self._ask = bytearray(), False, ASK.format(language=language).encode()
        self._transport: asyncio.Transport | None = None
        self._news, self._there = asyncio.Event(), asyncio.Event()
        self._came, self._goes, self._raw = ssl.MemoryBIO(), ssl.MemoryBIO(), bytearray()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._tls = context.wrap_bio(self._came, self._goes)
        self._shaken, self._records = False, list[int]()
        self.heard: list[tuple[bytes, bytes]] = []
        self.sealed: list[Sealed] = []
        self.count, self.challenge = 0, ""

    @classmethod
    async def open(cls, port: int, language: str) -> Browser:
        _, made = await asyncio.get_running_loop().create_connection(lambda: cls(language), "127.0.0.1", port)
        async with asyncio.timeout(PATIENCE_S):
            await made._there.wait()
        return made

    def say(self, **message: object) -> None:
        """Masked with zeros (RFC 6455, 5.3)."""
        data = msgspec.json.encode(message)
        self._write(TEXT, pad_json(data.decode(), SAID_BYTES).encode())

    async def challenged(self) -> str:
        """Returns what it is asked to prove something with."""
        async with asyncio.timeout(PATIENCE_S):
            while not self.challenge:
                self._news.clear()
                await self._news.wait()
        return self.challenge

    async def until(self, count: int) -> None:
        """Returns once so many messages of the daemon are there."""
        async with asyncio.timeout(PATIENCE_S):
            while self.count < count:
                self._news.clear()
                await self._news.wait()

    def taken(self) -> list[tuple[bytes, bytes]]:
        """What was heard since."""
        found, self.heard, self.sealed = self.heard, [], []
        return found

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._shake()

    def _shake(self) -> None:
        with suppress(ssl.SSLWantReadError):
            self._tls.do_handshake()
            self._shaken = True
            self._tls.write(self._ask)
        self._send()

    def _send(self) -> None:
        assert self._transport is not None
        self._transport.write(self._goes.read())

    def data_received(self, data: bytes) -> None:
        """Record by record, so that it is known which of them a frame came in."""
        self._raw += data
        while len(self._raw) >= HEAD and len(self._raw) >= (size := HEAD + int.from_bytes(self._raw[3:HEAD], "big")):
            self._came.write(bytes(self._raw[:size]))
            del self._raw[:size]
            if not self._shaken:
                self._shake()
                continue
            with suppress(ssl.SSLWantReadError):
                plain = self._tls.read(1 << 16)
                self._records.append(size)
                self._opens(plain)

    def _opens(self, data: bytes) -> None:
        """The contents of a record."""
        self._data += data
        if not self._opened:
            head, found, rest = bytes(self._data).partition(b"\r\n\r\n")
            if not found:
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._opened, self._data = True, bytearray(rest)
            self._records.clear()
            self._there.set()
        while (frame := self._frame()) is not None:
            self._take(*frame)
        self._news.set()

    def _frame(self) -> tuple[int, bytes, bytes] | None:
        """The kind of the next frame, its head and its contents; None while it is not whole."""
        if len(self._data) < 2:
            return None
        size, length = {126: (4, 2), 127: (10, 8)}.get(self._data[1], (2, 0))
        if len(self._data) < size:
            return None
        long = int.from_bytes(self._data[2 : 2 + length], "big") if length else self._data[1]
        if len(self._data) < size + long:
            return None
        head, body = bytes(self._data[:size]), bytes(self._data[size : size + long])
        del self._data[: size + long]
        return head[0] & 15, head, body

    def _take(self, kind: int, head: bytes, body: bytes) -> None:
        records, self._records = tuple(self._records), []
        if kind == PING:
            self._write(PONG, body)
            return
        self.heard.append((head, body))
        said = msgspec.json.decode(body) if kind == TEXT else {}
        self.sealed.append(Sealed(said.get("at"), records))
        if "challenge" in said:  # the worker's own
            self.challenge = said["challenge"]
        elif kind == TEXT:
            self.count += 1

    def _write(self, kind: int, data: bytes) -> None:
        length = bytes([128 | len(data)]) if len(data) < 126 else bytes([254]) + len(data).to_bytes(2, "big")
        self._tls.write(bytes([128 | kind]) + length + bytes(4) + data)
        self._send()


class World:
    """A table whose session is put there. leak: planted into every sheet. at: seconds of its clock, long before the
    machine's, so that no worker holds what it is sent (`referee_phones.frames.HELD_S`). program: the gateway's.
    own_leak: how a seat's page is shown what it shows, if not as it should be."""

    def __init__(self, folder: Path, program: str = "referee_phones.keeper") -> None:
        self.at, self._program = -(2.0**20), program
        self.leak: Leak | None = None
        self.core = SimpleNamespace(
            table=table(), session=QUIET, load_setting=self._kept, keep=lambda _name, _value: None
        )
        dice = Random(1)
        clock = cast("Any", SimpleNamespace(now=lambda: self.at))
        deed = OwnerFiles(folder.with_suffix(".state"), folder / "none")
        deed.keep(Claim(OWNERS.secret))
        settings = TableSettings(NoCamera(), pages=PagesSettings(on=True), state_dir=deed.state)
        self.maintenance = Maintenance(Inventory(settings, folder), clock)
        self.maintenance.facts = self._facts  # type: ignore[method-assign]  # the two tables of a pair know the same
        self.server = PageServer(
            folder,
            clock,
            drawn=lambda: dice.getrandbits(BITS),
            address=Address("x", 8139),
            owner=OwnerParts(self.maintenance, deed),
        )
        self.maintenance.pages = self.server
        self.server.sheet = self._sheet  # type: ignore[method-assign]  # the session is set from outside, and leaks are planted
        self.own_leak: OwnLeak | None = None
        self._show = self.server.seat_pages._show
        self.server.seat_pages._show = self._leaks  # type: ignore[method-assign, assignment]
        self.name, self._folder = folder.name, folder
        self._frames, self._came = 0, asyncio.Event()
        self._hears, self._meets = self.server._sockets._heard, self.server._sockets._met
        self.server._sockets._heard, self.server._sockets._met = self._heard, self._met
        self._sent = Counter[tuple[str, int]]()
        referee = cast("Referee", SimpleNamespace(core=self.core, give=self.give))
        self.server.begin(referee)
        self.maintenance.begin(referee)
        self.ports: dict[str, int] = {}
        self.browsers: dict[str, Browser] = {}
        self._keeper: asyncio.subprocess.Process | None = None
        self.log = folder.with_suffix(".log")

    async def start(self) -> None:
        await self.server.listen()
        await self.server._sockets.start()
        listeners = [socket.create_server(("127.0.0.1", 0), backlog=16) for _ in AUDIENCES]
        self.ports = {name: each.getsockname()[1] for name, each in zip(AUDIENCES, listeners, strict=True)}
        sealed = certificates(self._folder.with_suffix(".tls"), ("localhost",))
        number = handed_over(plan(PagesSettings(on=True), "en", self._folder, listeners, sealed))
        with self.log.open("wb") as log:
            self._keeper = await asyncio.create_subprocess_exec(
                sys.executable, "-m", self._program, str(number),
                cwd=ROOT, stdout=log, stderr=log, pass_fds=(number, *(each.fileno() for each in listeners)),
            )  # fmt: skip
        os.close(number)
        for each in listeners:
            each.close()
        async with asyncio.timeout(PATIENCE_S):
            while not all(self.server.workers[name] for name in WATCHED):
                await asyncio.sleep(0.02)

    async def stop(self) -> None:
        self._closed()
        self.server._sockets.close()
        if self._keeper is not None:
            self._keeper.terminate()
            await self._keeper.wait()

    async def visited(self, language: str) -> None:
        """Every page is opened again, in this language; each shows that nothing is played."""
        gone = self._frames + len(self.browsers)
        self._closed()
        await self._frames_are(gone)
        before = self._frames
        for name in (*WATCHED, OWNER):
            self.browsers[name] = await Browser.open(self.ports[name], language)
        for name, phone in {**PHONES, OWNER: OWNERS}.items():
            self.browsers[name].say(**phone.returns(await self.browsers[name].challenged()))
        await self._frames_are(before + 2 * (len(SEATS) + 1) + 1)
        await self.shown(QUIET)
        for each in self.browsers.values():
            each.taken()

    async def shown(self, session: Session) -> None:
        """This is the session now; returns once every page has it."""
        self.core.session = session
        self.server.on_step(None)
        self.maintenance.look()
        self.pass_s(OTHERS_S)
        await self.arrived()

    async def tapped(self, audience: str, serial: int, line: int, *, menu: bool = False) -> None:
        """On a page, for the list that it shows; returns once the daemon has dealt with it."""
        before = self._frames
        self.browsers[audience].say(tap={"serial": serial, "line": line, "menu": menu})
        await self._frames_are(before + 1)

    async def tended(self) -> None:
        """The owner reads how the table is, or leaves that page."""
        lines = [str(text) for text in self.maintenance.step.choices]
        await self.tapped(OWNER, self.maintenance.serial, lines.index(READ) if READ in lines else 0)

    def pass_s(self, seconds: float) -> None:
        end, doors = self.at + seconds, self.server._doors
        while (due := min((each.due for each in doors if each.due is not None), default=end + 1)) <= end:
            self.at = max(self.at, due)
            for each in doors:
                each.publish()
        self.at = end

    async def arrived(self) -> None:
        """Returns once every page has what it was sent."""
        for limiter in self.server._doors:
            for worker, number in tuple(limiter._links):
                await self.browsers[worker.audience].until(self._sent[worker.audience, number])

    # What a server of pages needs.

    def give(self, given: Input) -> bool:
        heeded = self.server.heeds(given)
        self.core.session, _ = step(self.core.table, replace(self.core.session, aims={}), given)
        self.server.on_step(given, heeded)
        return True

    def _leaks(self, link: SheetLink, at: float, *made: Any) -> None:
        if self.own_leak is None or link.audience not in SEATS:
            self._show(link, at, *made)
        else:
            self.own_leak(self._show, link, at, *made)

    def _facts(self) -> Facts:
        """All but what the machine's own sensors say, which is no table's."""
        return replace(self.maintenance._looked_up(), free_bytes=1, free_memory_bytes=1, heat_c=20.0, throttled=0)

    def _kept(self, name: str) -> str:
        if name == STAGE:
            return STAGES
        return seats.encode(SeatedPhones({seat: phone.secret for seat, phone in PHONES.items()}))

    def _sheet(self, audience: Seat | None) -> PageView:
        session = self.core.session
        made = sheet(self.core.table, session, audience)
        if self.leak is None or not isinstance(session.stage, Play):
            return made
        return self.leak(made, session, session.stage, audience)

    def _met(self, worker: WorkerConnection) -> None:
        """What it is given for each page is counted."""
        send = worker.send

        def counted(frame: ToWorker) -> None:
            if isinstance(frame, To):
                self._sent[worker.audience, frame.link] += 1
            send(frame)

        worker.send = counted  # type: ignore[method-assign]  # the shipped worker counts nothing
        self._meets(worker)

    def _heard(self, worker: WorkerConnection, frame: FromWorker) -> None:
        self._hears(worker, frame)
        self._frames += 1
        self._came.set()

    async def _frames_are(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while self._frames < count:
                self._came.clear()
                await self._came.wait()

    def _closed(self) -> None:
        for each in self.browsers.values():
            each.close()


QUIET = replace(set_up(SetupPage.LANGUAGE, "tellstones"), phones=frozenset(SEATS))
"""What every page shows between two sessions."""


async def started(stack: AsyncExitStack, folder: Path, made: Callable[[Path], World] = World) -> World:
    """A world that runs until the stack ends."""
    world = made(folder)
    await world.start()
    stack.push_async_callback(world.stop)
    return world
