"""The daemon's side of the pages' sockets: one unix stream socket for each audience, in a folder of their own.

What comes in is not trusted: a frame that is too long, or does not decode, is counted, logged once and dropped, and who
sends faster than people tap is read more slowly. Nothing that goes out waits for a worker: one that takes nothing is
left alone until it does, and cut off in the end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from device.bus.connection import Connection
from device.bus.endpoints import EndpointError, bind, shared_folder, socket_path
from device.bus.page_frames import FROM_WORKER, LONGEST_IN, FromWorker, ToWorker, Unpacker, pack
from device.token_bucket import Allowance
from vision.message_decoding import Inbox

VERSION = 1
MOST_WORKERS = 2
"""On one socket: one that works, and its successor if it comes before the end of the first was noticed."""

FRAMES_S = 1500.0
"""Frames that are read of a worker each second, and as many at once if it was quiet before. A worker passes on fewer
of pages that are not let in (by the worker of their audience), so that these fill up nothing here."""

AT_ONCE = 1500.0

STUCK_S = 30.0
"""A worker that has taken nothing for so long is cut off; its keeper starts another."""

_log = logging.getLogger(__name__)


class WorkerConnection(Connection):
    """The connection of one worker."""

    def __init__(self, audiences: Audiences, audience: str) -> None:
        super().__init__()
        self.audience = audience
        self._audiences, self._unpacker = audiences, Unpacker(LONGEST_IN)
        self._loop = asyncio.get_running_loop()
        self._allowed = Allowance(FRAMES_S, AT_ONCE)
        self._later: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None

    @property
    def takes(self) -> bool:
        """Return True if something may be sent: the worker is there, and has taken what was sent before."""
        return self._transport is not None and self._stuck is None

    def send(self, frame: ToWorker) -> None:
        """Sends a frame; only while it `takes`."""
        self.write(pack(frame))

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._audiences.came(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._later, self._stuck):
            if timer is not None:
                timer.cancel()
        self._audiences.went(self)

    def data_received(self, data: bytes) -> None:
        self._read(data)

    def pause_writing(self) -> None:
        self._stuck = self._loop.call_later(STUCK_S, self.cut)

    def resume_writing(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
        self._stuck = None
        self._audiences.ready(self)

    def _read(self, data: bytes) -> None:
        """Takes as many frames as are allowed; the rest waits, and nothing more is read meanwhile."""
        now = self._loop.time()
        for frame in self._unpacker.feed(data, int(self._allowed.balance(now))):
            self._allowed.spend(1, now)
            if self._transport is None or self._transport.is_closing():
                return
            self._audiences.receive(self, frame)
        if self._allowed.balance(now) < 1 and self._transport is not None and self._later is None:
            self._transport.pause_reading()
            self._later = self._loop.call_later(AT_ONCE / 10 / FRAMES_S, self._read_on)

    def _read_on(self) -> None:
        self._later = None
        self._read(b"")
        if self._later is None and self._transport is not None:
            self._transport.resume_reading()


class Audiences:
    """The sockets. met: a worker connects; heard: its frame; gone: it is; ready: it takes something again."""

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        *,
        met: Callable[[WorkerConnection], None],
        heard: Callable[[WorkerConnection, FromWorker], None],
        gone: Callable[[WorkerConnection], None],
        ready: Callable[[WorkerConnection], None],
        group: str = "",
    ) -> None:
        """group: whose members may connect, too, if the daemon is one of them."""
        self._folder, self._names, self._group = folder, tuple(names), group
        self._met, self._heard, self._gone, self.ready = met, heard, gone, ready
        self._inboxes: dict[str, Inbox[FromWorker]] = {
            name: Inbox(f"pages {name}", FROM_WORKER, VERSION) for name in names
        }
        self._servers: dict[str, asyncio.Server] = {}
        self._workers: dict[str, list[WorkerConnection]] = {name: [] for name in names}

    @property
    def workers(self) -> dict[str, int]:
        """Return how many workers are connected, by the audience."""
        return {name: len(found) for name, found in self._workers.items()}

    @property
    def dropped(self) -> int:
        """Frames that were not understood."""
        return sum(sum(inbox.dropped.values()) for inbox in self._inboxes.values())

    async def listen(self) -> None:
        """Makes the folder and the sockets; nobody can connect before `start`. Raises EndpointError."""
        paths = {name: socket_path(self._folder, name) for name in self._names}
        loop = asyncio.get_running_loop()
        try:
            shared = shared_folder(self._folder, self._group)
            for name, path in paths.items():
                make, opened = partial(WorkerConnection, self, name), bind(path, shared)
                self._servers[name] = await loop.create_unix_server(make, sock=opened, start_serving=False)
        except OSError as error:
            await self.close()
            raise EndpointError(f"no pages can be served from {self._folder}: {error}") from error

    async def start(self) -> None:
        """Workers may come."""
        for server in self._servers.values():
            await server.start_serving()

    async def close(self) -> None:
        """Ends every connection. The folder stays: a gateway may have it mounted."""
        for name, server in self._servers.items():
            server.close()
            for worker in tuple(self._workers[name]):
                worker.cut()
            with suppress(OSError):
                socket_path(self._folder, name).unlink(missing_ok=True)
        self._servers.clear()

    # What a worker's connection says.

    def came(self, worker: WorkerConnection) -> None:
        """A worker connects. The oldest of too many is cut off: nobody else could have come in its place."""
        found = self._workers[worker.audience]
        found.append(worker)
        for old in found[:-MOST_WORKERS]:
            old.cut()
        self._met(worker)

    def went(self, worker: WorkerConnection) -> None:
        self._workers[worker.audience].remove(worker)
        self._gone(worker)

    def receive(self, worker: WorkerConnection, frame: bytes | None) -> None:
        """A frame, or None for one that was too long."""
        inbox = self._inboxes[worker.audience]
        if frame is None:
            inbox.drop("too long", f"more than {LONGEST_IN} bytes")
        elif (heard := inbox.receive(frame)) is not None:
            self._heard(worker, heard)
