"""A gateway as it runs, between guests and a daemon that says what a test wants."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from device.bus.framing import Unpacker, pack
from referee_phones.content import file_of
from referee_phones.daemon import seats
from referee_phones.daemon.handshake import KeyPair, KeyProof
from referee_phones.daemon.seats import RefusalReason, SeatedPhones
from referee_phones.frames import (
    FROM_WORKER,
    LONGEST_IN,
    Admit,
    Back,
    Close,
    FromWorker,
    Hello,
    Join,
    PageOpened,
    PageTouch,
    To,
    challenge,
)
from referee_phones.plan import Place, Plan, handed_over

ROOT = Path(__file__).parents[3]
SENTENCES = {
    "en": {
        "no-page": "No such page.",
        "no-host": "Not known by this name.",
        "other-page": "Of another page.",
        "full": "Too many pages.",
        "away": "Soon.",
        "large": "Too large.",
        "reload": "Load it again.",
    },
    "ru": {
        "no-page": "Нет такой.",
        "no-host": "Нет.",
        "other-page": "Чужая.",
        "full": "Слишком много.",
        "away": "Скоро.",
        "large": "Велико.",
        "reload": "Ещё раз.",
    },
}
FILES = {
    "/": file_of("text/html; charset=utf-8", b"<!doctype html><title>table</title>"),
    "/app.js": file_of("text/javascript; charset=utf-8", b"x" * 100_000),
}
CODE = "GOODCODEGOODCODE"
WAIT_S = 60.0


class Daemon:
    """One audience's socket. It gives the seat to whoever has the code, once, and answers every tap.

    pair: its half of the handshake with pages. heard: all frames. strange: what could not be read.
    """

    def __init__(self, endpoint: Path) -> None:
        self.endpoint = endpoint
        self.heard: list[FromWorker] = []
        self.strange = 0
        self.workers = 0
        self._writers: list[asyncio.StreamWriter] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server: asyncio.Server | None = None
        self.pair = KeyPair()
        self._guests = SeatedPhones(codes={"a": CODE})

    def start(self) -> None:
        self.endpoint.parent.mkdir(exist_ok=True)
        self.endpoint.unlink(missing_ok=True)
        self._in_loop(self._listen())

    def stop(self) -> None:
        """As when the daemon ends."""
        self._in_loop(self._end())

    def close(self) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def say(self, data: bytes) -> None:
        """These bytes to every worker."""
        self._in_loop(self._say(data))

    def await_frame(self, kind: type) -> Any:
        """The next frame of a kind."""
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            for frame in self.heard:
                if isinstance(frame, kind):
                    self.heard.remove(frame)
                    return frame
            time.sleep(0.01)
        raise TimeoutError(f"no {kind.__name__} among {self.heard}")

    def _in_loop(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    async def _listen(self) -> None:
        self._server = await asyncio.start_unix_server(self._speak, self.endpoint)

    async def _end(self) -> None:
        if self._server is not None:
            self._server.close()
            self.endpoint.unlink(missing_ok=True)
        for writer in self._writers:
            writer.close()
        self._writers.clear()

    async def _say(self, data: bytes) -> None:
        for writer in self._writers:
            writer.write(data)

    async def _speak(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.workers += 1
        self._writers.append(writer)
        writer.write(pack(Hello(self.pair.public)))
        frames = Unpacker(LONGEST_IN)
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                for each in frames.feed(data):
                    self._take(each, writer)

    def _take(self, data: bytes | None, writer: asyncio.StreamWriter) -> None:
        try:
            frame = msgspec.json.decode(data or b"", type=FROM_WORKER)
        except msgspec.DecodeError:
            self.strange += 1
            return
        self.heard.append(frame)
        for answer in self._answers(frame):
            writer.write(pack(answer))

    def _answers(self, frame: FromWorker) -> Iterator[To | Close | Admit]:
        match frame:
            case PageOpened(link):
                yield To(link, '{"sheet":{"heading":"open to all"},"number":1}')
            case Join(link) | Back(link):
                match self._why_not(frame):
                    case None:
                        yield Admit(link)
                        yield To(link, '{"joined":"a"}')
                    case RefusalReason.SPENT:
                        yield To(link, '{"refused":"This code was used.","why":"spent"}')
                    case _:
                        yield Close(link, '{"refused":"No such code.","why":"unknown"}')
            case PageTouch(link, serial):
                yield To(link, f'{{"sheet":{{"status":"tapped {serial}"}},"number":2}}')

    def _why_not(self, frame: Join | Back) -> RefusalReason | None:
        proof = KeyProof(challenge(self.pair.public, frame.link), frame.proof)
        if isinstance(frame, Back):
            return seats.back(self._guests, "a", proof)
        found = seats.join(self._guests, "a", self.pair.agree_key(frame.public), proof)
        if isinstance(found, RefusalReason):
            return found
        self._guests = found
        return None


@dataclass
class Gateway:
    """daemons, ports: by audience. text: what the keeper and its workers have written."""

    folder: Path
    audiences: tuple[str, ...] = ("table", "a")
    shut_in: bool = True
    names: tuple[str, ...] = ("table.example",)
    program: tuple[str, ...] = ("-m", "referee_phones.keeper")
    change: Callable[[Plan], Plan] = lambda plan: plan
    daemons: dict[str, Daemon] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        places, listeners = [], []
        for audience in self.audiences:
            listener = socket.create_server(("127.0.0.1", 0), backlog=128)
            self.ports[audience] = listener.getsockname()[1]
            listeners.append(listener)
            self.daemons[audience] = Daemon(self.folder / "pages" / f"{audience}.sock")
            own = {"/app.json": file_of("application/json", f'{{"audience":"{audience}"}}'.encode())}
            places.append(Place(audience, listener.fileno(), str(self.daemons[audience].endpoint), own))
        plan = self.change(Plan(tuple(places), FILES, self.names, SENTENCES, "en", self.shut_in))
        number = handed_over(plan)
        held = [listener.fileno() for listener in listeners]
        self.log = (self.folder / "log").open("w+")
        self.process = subprocess.Popen(
            (sys.executable, *self.program, str(number)),
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, text=True, pass_fds=(number, *held),
        )  # fmt: skip
        os.close(number)
        for listener in listeners:
            listener.close()

    @property
    def text(self) -> str:
        return (self.folder / "log").read_text()

    def workers(self) -> dict[str, int]:
        """The numbers of the workers' processes, by audience."""
        assert self.process is not None
        found = {}
        for path in Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError):
                lines = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
                if int(lines["PPid"]) == self.process.pid and lines["Name"].startswith("pages "):
                    found[lines["Name"].removeprefix("pages ")] = int(path.parent.name)
        return found

    def until(self, holds: Callable[[], object]) -> None:
        """Waits for something; raises TimeoutError with the log."""
        until = time.monotonic() + WAIT_S
        while not holds():
            if time.monotonic() > until:
                raise TimeoutError(self.text)
            time.sleep(0.02)

    def close(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(WAIT_S)
            finally:
                self.process.kill()
                self.process.wait()
                self.log.close()
        for daemon in self.daemons.values():
            daemon.close()


@contextlib.contextmanager
def gateway(folder: Path, daemons: bool = True, **what: Any) -> Iterator[Gateway]:
    """A gateway that serves; its daemons too, unless they are to be away."""
    made = Gateway(folder, **what)
    try:
        made.start()
        if daemons:
            for daemon in made.daemons.values():
                daemon.start()
            made.until(lambda: all(daemon.workers for daemon in made.daemons.values()))
        yield made
    finally:
        made.close()
