"""What may come over the broker of a club: it is slow, full, hostile or silent for a while, or gone with its host.

Tables' heralds reach the broker by a relay, which can be slow, and can answer nonsense. The rest is done to the broker
and to the host that keeps it, or by strangers who come to it with real certificates.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from device.club import authority, club
from device.herald import mqtt, topics
from device.sim.live.hall import AGAIN_S, Process, VirtualTable
from vision.files import private_dir, read_text, write_whole

SLOW_S = 0.4
"""So long the slow relay holds each piece, in each direction."""

QUEUE = 10
"""Messages that a full broker keeps for its host."""

GARBAGE = 200
"""Bytes of nonsense."""

EACH_S = 0.1
"""Between two messages of a table that says nonsense."""


class Relay:
    """Stands between heralds and broker. port: of the broker."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.delay_s = 0.0
        """So long it holds each piece."""
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._server: asyncio.Server | None = None

    async def start(self) -> int:
        """The port at which it is reached."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    def answer_nonsense(self) -> None:
        """Everybody who is connected hears what is no TLS."""
        for each in self._open:
            each.write(os.urandom(GARBAGE))

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in tuple(self._open.values()):
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[writer] = task
        broker: asyncio.StreamWriter | None = None
        try:
            said, broker = await asyncio.open_connection("127.0.0.1", self._port)
            ways = [asyncio.ensure_future(self._pass(*way)) for way in ((reader, broker), (said, writer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in ways:
                    each.cancel()
        except (OSError, asyncio.CancelledError):
            pass  # the broker is not there, or nobody needs the relay any more
        finally:
            del self._open[writer]
            writer.transport.abort()
            if broker is not None:
                broker.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                writer.write(data)
                await writer.drain()


class Upsets:
    """All of them, at one club. folder: the club's. broker: its process now; None: it is not running. counts: how often
    each was done, and how strangers fared: "let in" must not be there."""

    def __init__(
        self,
        folder: Path,
        host: Process,
        broker: Callable[[], int | None],
        relay: Relay,
        tables: list[VirtualTable],
        port: int,
        dice: random.Random,
    ) -> None:
        self._folder, self._host, self._broker, self._relay = folder, host, broker, relay
        self._tables, self._port, self._dice = tables, port, dice
        self.counts = Counter[str]()

    async def all(self, seconds: float) -> None:
        """One after another, in this time."""
        kinds = {
            "slow": self._slow,
            "full": self._full,
            "hostile": self._hostile,
            "silent": self._silent,
            "gone": self._gone,
        }
        for name, happen in kinds.items():
            await happen(seconds / len(kinds))
            self.counts[name] += 1

    async def _slow(self, seconds: float) -> None:
        self._relay.delay_s = SLOW_S
        await asyncio.sleep(seconds)
        self._relay.delay_s = 0.0

    async def _full(self, seconds: float) -> None:
        """The broker keeps next to nothing, while its host reads nothing."""
        settings = self._folder / "broker" / "mosquitto.conf"
        usual = read_text(settings)
        write_whole(settings, re.sub(r"(?m)^max_queued_messages .*$", f"max_queued_messages {QUEUE}", usual).encode())
        self._to_broker(signal.SIGKILL)
        await asyncio.sleep(seconds / 4)  # it is started anew, and everybody comes back
        self._host.send(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds * 3 / 4)
        finally:
            self._host.send(signal.SIGCONT)
            write_whole(settings, usual.encode())
            self._to_broker(signal.SIGKILL)

    async def _silent(self, seconds: float) -> None:
        """It takes connections, and says nothing."""
        self._to_broker(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._to_broker(signal.SIGCONT)

    async def _gone(self, seconds: float) -> None:
        """Broker and host are switched off."""
        self._host.again_s = seconds
        self._host.send(signal.SIGKILL)
        await asyncio.sleep(seconds)
        self._host.again_s = AGAIN_S

    async def _hostile(self, seconds: float) -> None:
        """Heralds hear nonsense; somebody knocks with another club's certificate; a table of the club says nonsense,
        for itself and for others."""
        self._relay.answer_nonsense()
        knocking = [asyncio.ensure_future(each()) for each in (self._foreign, self._nonsense)]
        await asyncio.sleep(seconds)
        for each in knocking:
            each.cancel()
        for found in await asyncio.gather(*knocking, return_exceptions=True):
            if isinstance(found, Exception):
                raise found

    async def _foreign(self) -> None:
        name = self._tables[0].name
        other = authority.Authority(private_dir(self._folder.parent / "foreign"))
        files = self._files("foreign", *other.certify(name))
        while True:
            try:
                async with self._connected(name, *files):
                    self.counts["let in"] += 1
            except mqtt.BrokerError:
                self.counts["turned away"] += 1
            await asyncio.sleep(1.0)

    async def _nonsense(self) -> None:
        bundle = club.added(self._folder, "hostile")
        files = self._files("hostile", bundle.certificate.encode(), bundle.key.encode())
        while True:
            with suppress(mqtt.BrokerError):
                async with self._connected("hostile", *files) as connection:
                    while True:
                        await connection.publish(*self._words(), retain=self._dice.random() < 0.5)
                        self.counts["nonsense"] += 1
                        await asyncio.sleep(EACH_S)
            await asyncio.sleep(EACH_S)

    def _words(self) -> tuple[str, bytes]:
        whom = self._dice.choice(("hostile", "hostile", "hostile", self._tables[0].name))
        topic = self._dice.choice(
            (topics.glance(whom), topics.alive(whom), topics.link(whom, "0" * 32, self._dice.randrange(3)))
        )
        return topic, self._dice.randbytes(self._dice.choice((0, GARBAGE, 100_000)))

    @asynccontextmanager
    async def _connected(self, name: str, *files: str) -> AsyncGenerator[mqtt.Connection, None]:
        """Raises BrokerError."""
        connection = await mqtt.connected("localhost", self._port, mqtt.trusting(*files))
        running: asyncio.Future[None] | None = None
        try:
            await connection.begin(name, topics.alive(name), topics.GONE)
            running = asyncio.ensure_future(connection.run())
            yield connection
        finally:
            connection.close()
            if running is not None:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

    def _files(self, name: str, certificate: bytes, key: bytes) -> tuple[str, str, str]:
        folder = private_dir(self._folder.parent / name)
        for file, data in (("certificate", certificate), ("key", key)):
            write_whole(folder / file, data, mode=0o600)
        trusted = self._folder / club.CERTIFICATES / f"{authority.AUTHORITY}.pem"
        return str(folder / "certificate"), str(folder / "key"), str(trusted)

    def _to_broker(self, number: signal.Signals) -> None:
        if (pid := self._broker()) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
