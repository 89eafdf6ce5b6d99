"""A table's public socket, as the daemon makes it, in a thread of its own; what it says is a test's choice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

from device.bus.endpoints import socket_path
from device.bus.framing import pack
from device.clock import WallClock
from referee_record.daemon.public_socket import NAME, Public
from referee_record.public_entries import FORMAT, Signed
from referee_record.public_frames import Glance, Said, Standing
from referee_record.stream import Signer
from tools.tampering import Honest, load_game, make_honest


def glance(status: str) -> Glance:
    return Glance("Tellstones", "7" * 32, (), status, (), (), False, "", "ok", "")


class Match:
    """A whole honest match, and what the table says of it."""

    def __init__(self, seed: str = "herald") -> None:
        self.honest: Honest = make_honest(load_game("tellstones"), Random(seed), FORMAT)
        signer = Signer(self.honest.key, FORMAT)
        self.links, self._stands = list[Signed](), list[bytes]()
        for body in self.honest.bodies:
            self.links.append(signer.sign(body))
            stands = Standing(self.links[0], self.links[-1], signer.before.hex(), signer.standing())
            self._stands.append(pack(stands))

    def begin(self, public: Public, count: int) -> None:
        """So many links were said."""
        public.begin([pack(Said(link)) for link in self.links[:count]], self._stands[count - 1])

    def say(self, public: Public, n: int) -> None:
        public.put(pack(Said(self.links[n])), self._stands[n])


class Table:
    """The socket. Everything happens in its loop."""

    def __init__(self, folder: Path) -> None:
        self.path = socket_path(folder / "public", NAME)
        self._folder, self._glance = folder / "public", b""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._running: asyncio.Future[None] | None = None
        self._public: Public | None = None

    def start(self) -> None:
        async def begin() -> None:
            self._public = Public(self._folder, WallClock())
            self._public.look(self._look)
            await self._public.listen()
            self._running = asyncio.ensure_future(self._public.run())

        asyncio.run_coroutine_threadsafe(begin(), self._loop).result(60)

    def do(self, deed: Callable[[Public], None]) -> None:
        async def done() -> None:
            assert self._public is not None
            deed(self._public)

        asyncio.run_coroutine_threadsafe(done(), self._loop).result(60)

    def look(self, status: str) -> None:
        """It looks otherwise."""
        self.show(glance(status))

    def show(self, looks: Glance) -> None:
        self._glance = pack(looks)
        self.do(lambda public: public.on_step())

    def _look(self, _at: float, _anew: bool) -> bytes:
        return self._glance

    def stop(self) -> None:
        async def end() -> None:
            assert self._public is not None
            assert self._running is not None
            self._running.cancel()
            await self._public.close()

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(60)

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()
