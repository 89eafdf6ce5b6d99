"""Publishes the table's signed stream; accepts no input.

Frames go out on a time grid (law 5). Slow readers are cut off, and those that send. A new one gets the previous match,
the current position and match, and summaries.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from device.bus.endpoints import Connection, EndpointError, bind, shared_folder, socket_path
from device.clock import Clock

GRID_S = 0.25
"""Grid in seconds of the daemon's clock."""

READERS = 8
"""Readers at once; the oldest is cut off."""

PIECE = 1 << 16
"""Bytes per reader and grid time; at least one frame."""

NAME = "stream"

_log = logging.getLogger(__name__)


class _Reader(Connection):
    def __init__(self, public: Public) -> None:
        super().__init__()
        self._public, self.late = public, True
        self._waiting: deque[bytes] = deque()
        self._seen = b""

    def hear(self, frames: Iterable[bytes]) -> None:
        self._waiting += frames

    def send(self) -> bool:
        """Send a piece; return True if more waits."""
        piece = bytearray()
        while self._waiting and (not piece or len(piece) + len(self._waiting[0]) <= PIECE):
            piece += self._waiting.popleft()
        self.write(bytes(piece))
        return bool(self._waiting)

    def see(self, glance: bytes) -> None:
        """Send the summary, unless it was the last sent or queued."""
        if glance is not self._seen:
            self._seen = glance
            self.write(glance)

    def see_last(self, glance: bytes) -> None:
        """Queue a match's last summary before the next match."""
        if glance is not self._seen:
            self._seen = glance
            self._waiting.append(glance)

    # Calls of asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._public.came(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._public.went(self)

    def data_received(self, _data: bytes) -> None:
        self.cut()

    def pause_writing(self) -> None:
        self.cut()


class Public:
    """The socket. group: may read, too, if the daemon is in it."""

    def __init__(self, folder: Path, clock: Clock, group: str = "") -> None:
        self._folder, self._clock, self._group = folder, clock, group
        self._readers: list[_Reader] = []
        self._said: list[bytes] = []
        self._before: tuple[bytes, ...] = ()
        self._standing = self._glance = self._of_another = b""
        self._look: Callable[[float, bool], bytes] = lambda _at, _anew: b""
        self._looked: Callable[[], bytes] = lambda: b""
        self._blind = False
        self._stirred = asyncio.Event()
        self._server: asyncio.Server | None = None

    @property
    def readers(self) -> int:
        """Number of connected readers."""
        return len(self._readers)

    def begin(self, said: Sequence[bytes], standing: bytes) -> None:
        """Begin or resume a match. said: frames so far. standing: first frame for later readers."""
        if self._said[:1] != list(said[:1]):  # another match
            looked = self._looked()
            if self._standing:
                self._before = (*self._said, looked if looked is not self._of_another else b"")
            self._of_another = looked
        self._said = list(said)
        self._tell(said, standing)

    def leave(self) -> None:
        """Publish a last summary before the match is left."""
        self._glance = self._look_frame(self._due(), anew=False) or self._glance
        for reader in self._readers:
            if not reader.late:
                reader.see_last(self._glance)

    def put(self, frame: bytes, standing: bytes) -> None:
        """Queue a frame for the next grid time. standing: see `begin`."""
        self._said.append(frame)
        self._tell((frame,), standing)

    def look(self, look: Callable[[float, bool], bytes], looked: Callable[[], bytes] = lambda: b"") -> None:
        """Set the summary's source, as `look` and `last_frame` of `Glances`, after a last summary of the old one."""
        self.leave()
        until_now = self._looked()
        self._look, self._looked = look, lambda: looked() or until_now

    def on_step(self) -> None:
        """Note that the summary may have changed."""
        self._stirred.set()

    async def listen(self) -> None:
        """Open the socket. Raises EndpointError."""
        path = socket_path(self._folder, NAME)
        try:
            opened = bind(path, shared_folder(self._folder, self._group))
            self._server = await asyncio.get_running_loop().create_unix_server(lambda: _Reader(self), sock=opened)
        except OSError as error:
            raise EndpointError(f"nobody can read what the table says in public: {path}: {error}") from error

    async def run(self) -> None:
        """Send pending frames on the grid until cancelled."""
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            due = self._due()
            await self._clock.sleep_until(due)
            self._send(due)

    async def close(self) -> None:
        """Close all connections and delete the socket; keep the folder."""
        if self._server is not None:
            self._server.close()
            with suppress(OSError):
                socket_path(self._folder, NAME).unlink(missing_ok=True)
        for reader in tuple(self._readers):
            reader.cut()

    def _tell(self, frames: Sequence[bytes], standing: bytes) -> None:
        self._standing = standing
        for reader in self._readers:
            if not reader.late:
                reader.hear(frames)
        if self._readers:
            self._stirred.set()

    def _due(self) -> float:
        return (math.floor(self._clock.now() / GRID_S) + 1) * GRID_S

    def _send(self, at: float) -> None:
        self._glance = self._look_frame(at, anew=any(reader.late for reader in self._readers)) or self._glance
        for reader in tuple(self._readers):
            if reader.late:
                reader.hear((*self._before, self._standing, *self._said))
                reader.late = False
            if reader.send():
                self._stirred.set()
            else:
                reader.see(self._glance)

    def _look_frame(self, at: float, *, anew: bool) -> bytes:
        try:
            found = self._look(at, anew)
        except Exception:  # noqa: BLE001  whatever it is, links are said
            if not self._blind:
                _log.exception("how the table looks cannot be told in public; what it says goes on")
            self._blind = True
            return b""
        self._blind = False
        return found

    # Calls of connections.

    def came(self, reader: _Reader) -> None:
        self._readers.append(reader)
        for old in self._readers[:-READERS]:
            old.cut()
        self._stirred.set()

    def went(self, reader: _Reader) -> None:
        self._readers.remove(reader)
