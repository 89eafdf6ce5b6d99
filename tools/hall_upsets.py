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
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from referee_club import authority, club
from referee_record.herald import mqtt, topics
from referee_simulator.live.hall import AGAIN_S, HallTable, Process
from vision.files import private_dir, read_text, write_whole

SLOW_S = 0.4
"""So long the slow relay holds each piece, in each direction."""

QUEUE = 10
"""Messages that a full broker keeps for its host."""

GARBAGE = 200
"""Bytes of nonsense."""

EACH_S = 0.1
"""Between two messages of a table that says nonsense."""

COMES_S = 15.0
"""So long at most until a broker or host that was killed runs again, and until strangers have fared somehow."""

REFUSED = "does not believe this table's certificate"
"""So it is told that a broker who was there refused a certificate (`referee_record.herald.mqtt`)."""

KINDS = ("slow", "full", "hostile", "silent", "gone")

FARED = ("turned away", "nonsense")
"""What strangers meet with: another club's certificate is refused, and nonsense of a table of the club is taken."""


class Relay:
    """Stands between heralds and broker. behind: the broker's port."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self.port = 0
        """At which it is reached, once it is started."""
        self.delay_s = 0.0
        """So long it holds each piece."""
        self.held = False
        """Whether it has held one."""
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])

    def answer_nonsense(self) -> bool:
        """Everybody who is connected hears what is no TLS; whether anybody is."""
        for each in self._open:
            each.write(os.urandom(GARBAGE))
        return bool(self._open)

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
            said, broker = await asyncio.open_connection("127.0.0.1", self._behind)
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
                    self.held = True
                    await asyncio.sleep(self.delay_s)
                writer.write(data)
                await writer.drain()


class Upsets:
    """All of them, at one club. folder: the club's. broker: its process now; None: it is not running. counts: how often
    each of `KINDS` was done, and how strangers fared: each of `FARED` must be there, "let in" must not."""

    def __init__(
        self,
        folder: Path,
        host: Process,
        broker: Callable[[], int | None],
        relay: Relay,
        tables: list[HallTable],
        port: int,
        dice: random.Random,
    ) -> None:
        self._folder, self._host, self._broker, self._relay = folder, host, broker, relay
        self._tables, self._port, self._dice = tables, port, dice
        self.counts = Counter[str]()

    async def all(self, seconds: float) -> None:
        """One after another, in this time."""
        happens = (self._slow, self._full, self._hostile, self._silent, self._switch_off)
        for name, happen in zip(KINDS, happens, strict=True):
            if await happen(seconds / len(KINDS)):
                self.counts[name] += 1

    # Each says whether it was done.

    async def _slow(self, seconds: float) -> bool:
        self._relay.delay_s, self._relay.held = SLOW_S, False
        await asyncio.sleep(seconds)
        self._relay.delay_s = 0.0
        return self._relay.held

    async def _full(self, seconds: float) -> bool:
        """The broker keeps next to nothing, while its host reads nothing. Raises ValueError if its settings do not say
        how much it keeps."""
        settings = self._folder / "broker" / "mosquitto.conf"
        usual = read_text(settings)
        little, found = re.subn(r"(?m)^max_queued_messages .*$", f"max_queued_messages {QUEUE}", usual)
        if not found:
            raise ValueError(f"{settings}: there is no max_queued_messages: no broker becomes full")
        write_whole(settings, little.encode())
        done = await self._to_broker(signal.SIGKILL)
        await asyncio.sleep(seconds / 4)  # it is started again, and everybody comes back
        done = await _comes(self._broker) and done
        self._host.send(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds * 3 / 4)
        finally:
            self._host.send(signal.SIGCONT)
            write_whole(settings, usual.encode())
            await self._to_broker(signal.SIGKILL)
        return done

    async def _silent(self, seconds: float) -> bool:
        """It takes connections, and says nothing."""
        done = await self._to_broker(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            await self._to_broker(signal.SIGCONT)
        return done

    async def _switch_off(self, seconds: float) -> bool:
        """Broker and host are switched off."""
        done = await _comes(lambda: self._host.pid)
        self._host.again_s = seconds
        self._host.send(signal.SIGKILL)
        await asyncio.sleep(seconds)
        self._host.again_s = AGAIN_S
        return done

    async def _hostile(self, seconds: float) -> bool:
        """Heralds hear nonsense; somebody knocks with another club's certificate; a table of the club says nonsense,
        for itself and for others."""
        heard = await _comes(self._relay.answer_nonsense)  # heralds come back from the upset before
        knocking = [asyncio.ensure_future(each()) for each in (self._foreign, self._nonsense)]
        await asyncio.sleep(seconds)
        await _comes(lambda: all(self.counts[each] for each in FARED))
        for each in knocking:
            each.cancel()
        for found in await asyncio.gather(*knocking, return_exceptions=True):
            if isinstance(found, Exception):
                raise found
        return heard

    async def _foreign(self) -> None:
        name = self._tables[0].name
        other = authority.Authority(private_dir(self._folder.parent / "foreign"))
        files = self._files("foreign", *other.certify(name))
        while True:
            try:
                async with self._connect(name, *files):
                    self.counts["let in"] += 1
            except mqtt.BrokerError as error:
                if REFUSED in str(error):
                    self.counts["turned away"] += 1
            await asyncio.sleep(1.0)

    async def _nonsense(self) -> None:
        bundle = club.add_table(self._folder, "hostile")
        files = self._files("hostile", bundle.certificate.encode(), bundle.key.encode())
        while True:
            with suppress(mqtt.BrokerError):
                async with self._connect("hostile", *files) as connection:
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
    async def _connect(self, name: str, *files: str) -> AsyncGenerator[mqtt.Connection, None]:
        """Raises BrokerError."""
        connection = await mqtt.connect_to_broker("localhost", self._port, mqtt.trusting(*files))
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

    async def _to_broker(self, number: signal.Signals) -> bool:
        """As soon as there is one; whether there was."""
        await _comes(self._broker)
        if (pid := self._broker()) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
                return True
        return False


async def _comes(true: Callable[[], object]) -> bool:
    """Whether it comes true within `COMES_S`."""
    until = time.monotonic() + COMES_S
    while not (found := true()) and time.monotonic() < until:
        await asyncio.sleep(0.2)
    return bool(found)
