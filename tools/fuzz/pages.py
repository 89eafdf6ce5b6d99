"""The pages: requests as bytes, to servers that run as the program runs them; no answer may hold up the next."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from device.settings.table import PagesSettings
from device.web.audiences import AUDIENCES
from device.web.calibrate import CameraPage
from engine.text import say
from referee_phones.content import plan
from referee_phones.worker import Worker, entrance
from tools.fuzz.judge import Target
from vision.messages import Picture

WAIT_S = 15.0
"""Within this a good request is answered, whatever came before it and however busy the machine is."""

PATIENCE_S = 0.03
"""So long a case is waited for: a page may keep silent until there is news."""

START_S = 30.0
HOST = "127.0.0.1"
T = TypeVar("T")
REST = b" HTTP/1.1\r\nHost: localhost\r\nAccept-Language: ru;q=0.8, en\r\n"
UPGRADE = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
FRAMES = b"\x81\x85\x01\x02\x03\x04Igonk" + b"\x82\x81\x00\x00\x00\x00\xff" + b"\x88\x80\x00\x00\x00\x00"


class Unanswered(Exception):
    """A server does not answer a good request in time."""


class Lookout:
    """Whoever has pictures for the page of the camera."""

    def picture(self) -> Picture | None:
        return Picture(1, b"\xff\xd8\xff\xd9", (say("Too dark for the camera."),))


class Errors(logging.Handler):
    """Hears of errors that a server met, and wrote into its log with a traceback."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.met: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.met.append(record.exc_info[1])


class Servers:
    """A seat's page and that of the camera, in a loop of their own. seat, camera: their ports; token: the part
    of the camera page's address that only its reader knows."""

    def __init__(self, folder: Path) -> None:
        self.errors = Errors()
        logging.getLogger().addHandler(self.errors)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._daemon, link = socket.socketpair()
        self.seat = self._in_loop(self._serve(folder, link)).result(START_S)
        self._page = CameraPage(Lookout(), HOST, 0)
        self._in_loop(self._page.start()).result(START_S)
        address = urlsplit(self._page.address())
        self.camera, self.token = address.port or 0, address.path.strip("/")

    def _in_loop(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _serve(self, folder: Path, link: socket.socket) -> int:
        """The port of a seat's page, whose daemon hears all and says nothing."""
        listeners = [socket.create_server((HOST, 0)) for _ in AUDIENCES]
        made = plan(PagesSettings(on=True), "en", folder, listeners, shut_in=False)
        worker, seat = Worker(made, "a"), AUDIENCES.index("a")
        await worker.reach(link, lambda: None)
        asyncio.get_running_loop().add_reader(self._daemon, lambda: self._daemon.recv(1 << 16))
        limiter = entrance(made, made.places[seat], worker)
        self._server = await asyncio.get_running_loop().create_server(limiter, sock=listeners[seat])
        return int(listeners[seat].getsockname()[1])

    def close(self) -> None:
        logging.getLogger().removeHandler(self.errors)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._end())
        self._loop.close()
        self._daemon.close()

    async def _end(self) -> None:
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:  # a page that waits for news would be waited for
            task.cancel()
        await asyncio.gather(*tasks, self._page.close(), return_exceptions=True)

    def ask_page(self, port: int, good: str) -> Callable[[bytes], object]:
        """Sends a case to one of the pages; it must be done with it in time, and answer the next request."""

        def feed(data: bytes) -> None:
            self.errors.met.clear()
            _send(port, data, PATIENCE_S)
            answer = _send(port, b"GET " + good.encode() + REST + b"Connection: close\r\n\r\n", WAIT_S)
            if not answer.startswith(b"HTTP/1.1 200 OK"):
                raise Unanswered(f"a good request was answered with {answer[:40]!r}")
            for error in self.errors.met:
                raise error

        return feed


def _send(port: int, data: bytes, patience_s: float) -> bytes:
    """What comes back until the page closes, or says nothing for so long."""
    parts = []
    with socket.create_connection((HOST, port), WAIT_S) as link, suppress(OSError):  # too much may be cut off
        link.settimeout(patience_s)
        link.sendall(data)
        while part := link.recv(65536):
            parts.append(part)
    return b"".join(parts)


@contextmanager
def targets(folder: Path) -> Iterator[tuple[Target, ...]]:
    """The two pages, while they are served."""
    folder.mkdir(parents=True)
    servers = Servers(folder)
    try:
        yield tuple(_targets(servers))
    finally:
        servers.close()


def _targets(servers: Servers) -> Iterator[Target]:
    paths = ("/", "/?lang=zh_Hant", "/app.json", "/words/ru.json", "/app.js", "/../plan.py", "/link")
    plain = [f"GET {path}".encode() + REST + b"Connection: close\r\n\r\n" for path in paths]
    plain += [b"GET /link?lang=ru" + REST + UPGRADE + FRAMES, b"HEAD /" + REST + b'If-None-Match: "x"\r\n\r\n']
    token = servers.token.encode()
    private = [
        b"GET /" + token + b"/" + REST + b"\r\n",
        b"GET /" + token + b"/link" + REST + UPGRADE + FRAMES,
        b"POST /" + token + b"/" + REST + b"Content-Length: 5\r\n\r\nhello",
        b"GET /shared/calibrate.js" + REST + b"Range: bytes=0-100\r\nExpect: 100-continue\r\n\r\n",
    ]
    yield Target("page of a seat", plain, servers.ask_page(servers.seat, "/app.json"))
    yield Target("page of the camera", private, servers.ask_page(servers.camera, "/shared/style.css"))
