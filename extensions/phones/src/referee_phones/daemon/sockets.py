"""Serves the pages' sockets, one per audience.

Bad frames are dropped and logged once, fast senders read slowly. Sending never blocks; a stuck worker is cut off.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from device.bus.endpoints import Connection, EndpointError, bind, shared_folder, socket_path
from device.bus.framing import Unpacker, pack
from device.web.audiences import CAMERA
from device.web.token_bucket import Allowance
from referee_phones.frames import FROM_WORKER, LONGEST_IN, LONGEST_PICTURE_IN, FromWorker, ToWorker
from vision.message_decoding import Inbox

VERSION = 1
MOST_WORKERS = 2
"""Workers per socket: one, and its successor."""

FRAMES_S = 1500.0
"""Frames read per second and at once; the worker limits unadmitted pages further."""

AT_ONCE = 1500.0

STUCK_S = 30.0
"""Seconds without progress until a worker is cut off."""

_log = logging.getLogger(__name__)


class WorkerConnection(Connection):
    """A worker's connection."""

    def __init__(self, audiences: Audiences, audience: str) -> None:
        super().__init__()
        self.audience = audience
        self._audiences, self._unpacker = audiences, Unpacker(LONGEST_PICTURE_IN if audience == CAMERA else LONGEST_IN)
        self._loop = asyncio.get_running_loop()
        self._allowed = Allowance(FRAMES_S, AT_ONCE)
        self._later: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None

    @property
    def takes(self) -> bool:
        """True if ready for messages."""
        return self._transport is not None and self._stuck is None

    def send(self, frame: ToWorker) -> None:
        """Queue a frame; call only while `takes`."""
        self.write(pack(frame))

    # Calls of asyncio.

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
    """The sockets. The callbacks hear of connections, frames, disconnections and renewed readiness. group: may connect,
    too, if the daemon is in it."""

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
        self._folder, self._names, self._group = folder, tuple(names), group
        self._met, self._heard, self._gone, self.ready = met, heard, gone, ready
        self._inboxes: dict[str, Inbox[FromWorker]] = {
            name: Inbox(f"pages {name}", FROM_WORKER, VERSION) for name in names
        }
        self._servers: dict[str, asyncio.Server] = {}
        self._workers: dict[str, list[WorkerConnection]] = {name: [] for name in names}

    @property
    def workers(self) -> dict[str, int]:
        """Number of connected workers by audience."""
        return {name: len(found) for name, found in self._workers.items()}

    @property
    def dropped(self) -> int:
        """Number of rejected frames."""
        return sum(sum(inbox.dropped.values()) for inbox in self._inboxes.values())

    async def listen(self) -> None:
        """Create the sockets without accepting connections. Raises EndpointError."""
        paths = {name: socket_path(self._folder, name) for name in self._names}
        loop = asyncio.get_running_loop()
        try:
            shared = shared_folder(self._folder, self._group)
            for name, path in paths.items():
                make, opened = partial(WorkerConnection, self, name), bind(path, shared)
                self._servers[name] = await loop.create_unix_server(make, sock=opened, start_serving=False)
        except OSError as error:
            self.close()
            raise EndpointError(f"no pages can be served from {self._folder}: {error}") from error

    async def start(self) -> None:
        """Accept connections."""
        for server in self._servers.values():
            await server.start_serving()

    def close(self) -> None:
        """Close all connections and delete the sockets; keep the folder, which a gateway may have mounted."""
        for name, server in self._servers.items():
            server.close()
            for worker in tuple(self._workers[name]):
                worker.cut()
            with suppress(OSError):
                socket_path(self._folder, name).unlink(missing_ok=True)
        self._servers.clear()

    # Calls of connections.

    def came(self, worker: WorkerConnection) -> None:
        """Add a worker, dropping the oldest beyond MOST_WORKERS."""
        found = self._workers[worker.audience]
        found.append(worker)
        for old in found[:-MOST_WORKERS]:
            old.cut()
        self._met(worker)

    def went(self, worker: WorkerConnection) -> None:
        self._workers[worker.audience].remove(worker)
        self._gone(worker)

    def receive(self, worker: WorkerConnection, frame: bytes | None) -> None:
        """Handle a frame; None if too long."""
        inbox = self._inboxes[worker.audience]
        if frame is None:
            inbox.drop("too long", "more than a page may say")
        elif (heard := inbox.receive(frame)) is not None:
            self._heard(worker, heard)
