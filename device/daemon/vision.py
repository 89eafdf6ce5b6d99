"""Supervises the vision worker, a child process: started, listened to, killed and restarted after 2 s of silence.

Each start has an address of its own, so nothing of a dead worker can be taken for the living one's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

import msgspec
import zmq
import zmq.asyncio

from device.bus.endpoints import ipc, runtime_dir
from device.clock import Clock
from device.daemon.patience import Patience
from device.logs import place
from device.session.check import GONE, STARTING
from engine.text import Text, say
from vision.inbox import Inbox
from vision.link import VERSION, Busy, FromWorker, Picture, Quit, Report, ToWorker
from vision.nodes import plugged

ROUND_S = 0.25
"""Seconds between two looks at how the worker is, and at whether a camera was plugged in."""

TOLD_S = 1.0
"""Seconds between two words on how far slow work has come."""

QUIT_S = 1.0
"""Seconds that a worker has to close its camera."""

OOM_SCORE = 500
"""Half of the machine's memory more than it has would weigh as much (proc(5), oom_score_adj)."""

BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds between workers that end one after the other. The wait is over as soon as a camera is plugged in."""

AWAY_S = 1.0
"""The longest of these once a worker has reported: then it is the camera that comes and goes."""

STEADY_S = 60.0
"""Seconds that a worker has to see for what fails next to count as the first failure."""

_log = logging.getLogger(__name__)

Command = Callable[[str], Sequence[str]]
"""The command line of a worker that is to connect to the address given."""


def _first_to_go(pid: int) -> None:
    """If memory runs out, the kernel ends this process before the daemon and whatever else the machine runs."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text(f"{OOM_SCORE}\n", encoding="ascii")


class Watcher(Protocol):
    """Who is told of the worker: the referee."""

    @property
    def clock(self) -> Clock: ...

    def seen(self, report: Report) -> None: ...

    def silent(self, text: Text | None, *, starting: bool = False) -> None: ...

    def worker_started(self) -> None: ...


class CameraState(msgspec.Struct, frozen=True):
    """workers: started so far. health: of the last picture; empty before any. frame_ms: what a look takes. busy: slow
    work that the worker does instead of looking, and how far it is. observed: whether it has told what lies there.
    """

    workers: int = 0
    health: str = ""
    frame_ms: float = 0.0
    busy: str = ""
    observed: bool = False


class VisionWorker:
    """Keeps one worker alive. Pictures, if it may send any, go to `pictures`. sent: orders given to this worker."""

    def __init__(
        self,
        command: Command,
        folder: Path,
        *,
        pictures: Callable[[Picture], None] | None = None,
        beat: Callable[[], None] = lambda: None,
        patience: Patience | None = None,
        plugged: Callable[[], frozenset[str]] = plugged,
    ) -> None:
        """beat: called whenever the loop that watches the worker goes round. plugged: the cameras that are there."""
        self._patience, self._plugged = patience or Patience(), plugged
        self._cameras: frozenset[str] = frozenset()
        self._command, self._folder, self._pictures = command, runtime_dir(folder), pictures
        self._beat = beat
        self._context: zmq.asyncio.Context = zmq.asyncio.Context()
        self._inbox: Inbox[FromWorker] = Inbox("vision", FromWorker, VERSION)
        self._socket: zmq.asyncio.Socket | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._outgoing: asyncio.Queue[ToWorker] = asyncio.Queue()
        self.sent = 0
        self._starts = 0
        self._heard_at = 0.0
        self._heard = self._worked = False
        """Whether this worker, and any so far, has reported."""
        self._observed = False
        """Whether this worker has told what lies on the table."""
        self._lent, self._lending, self._resting = False, asyncio.Lock(), asyncio.Event()
        """Whether somebody else has the camera, and set while no worker lives because of that."""
        self._busy: Busy | None = None
        self._last: Report | None = None
        self._tell_at = 0.0
        self._saw: tuple[float, float] | None = None
        """When this worker's first and last frame were reported."""

    @property
    def pid(self) -> int | None:
        """The worker's process id while it lives."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if alive and self._process is not None else None

    @property
    def state(self) -> CameraState:
        """How the camera is, to the tenth of a second."""
        last = self._last if self._heard else None
        health, frame_ms = (last.health.value, last.frame_ms) if last is not None else ("", 0.0)
        busy = self._busy
        doing = f"{busy.doing}, {busy.done} of {busy.of}" if busy is not None else ""
        return CameraState(self._starts, health, round(frame_ms, -2), doing, self._observed)

    def send(self, message: ToWorker) -> None:
        """To the worker, if there is one; a new one is told everything anew, so nothing gathers until it is there."""
        if self._socket is None:
            return
        self.sent += 1
        self._outgoing.put_nowait(message)

    async def run(self, watcher: Watcher) -> None:
        """Starts workers until cancelled."""
        failures = 0
        try:
            while True:
                await self._while_lent(watcher)
                watcher.silent(STARTING, starting=True)
                steady = await self._live(watcher)
                if self._lent:
                    continue
                failures = 0 if steady else failures + 1
                watcher.silent(GONE)
                pause = self._pause(failures)
                _log.warning("vision worker ended; starting another in %.1f s", pause)
                self._cameras = self._plugged()
                await self._rest(watcher.clock, pause, lambda: self._lent or self._plugged_in())
        finally:
            self._context.destroy(0)

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Within it somebody else has the camera: no worker lives, and afterwards a new one is started. For one at a
        time, while this runs: the next one waits."""
        async with self._lending:
            self._lent = True
            try:
                await self._resting.wait()
                yield
            finally:
                self._lent = False

    async def _while_lent(self, watcher: Watcher) -> None:
        if not self._lent:
            return
        watcher.silent(say("The owner looks through the camera."), starting=True)
        self._resting.set()
        try:
            while self._lent:
                await self._rest(watcher.clock, ROUND_S, lambda: not self._lent)
        finally:
            self._resting.clear()

    def _pause(self, failures: int) -> float:
        """Seconds until the next worker. One that keeps ending costs a small computer a second each time."""
        return min(BACKOFF_S[min(failures, len(BACKOFF_S) - 1)], AWAY_S if self._worked else BACKOFF_S[-1])

    def _plugged_in(self) -> bool:
        return bool(self._plugged() - self._cameras)

    async def _live(self, watcher: Watcher) -> bool:
        """One worker from start to end. True if it saw for long."""
        self._starts += 1
        self._outgoing, self.sent = asyncio.Queue(), 0
        self._heard, self._heard_at, self._saw = False, watcher.clock.now(), None
        self._busy, self._tell_at, self._observed = None, self._heard_at, False
        try:
            if await self._started():
                watcher.worker_started()
                await self._attend(watcher)
        finally:
            await self._end()
        return self._steady()

    def _steady(self) -> bool:
        return self._saw is not None and self._saw[1] - self._saw[0] >= STEADY_S

    async def _started(self) -> bool:
        """False where memory, processes or room are short: then there is no worker for now."""
        address = ipc(self._folder, f"vision-{self._starts}")
        self._socket = self._context.socket(zmq.PAIR)
        self._socket.setsockopt(zmq.LINGER, 0)
        try:
            self._socket.bind(address)
            # A group of its own: Ctrl-C is the daemon's alone.
            self._process = await asyncio.create_subprocess_exec(
                *self._command(address), stdin=asyncio.subprocess.DEVNULL, process_group=0
            )
        except (OSError, zmq.ZMQError) as error:
            _log.error("vision worker %d cannot be started: %s", self._starts, error)
            return False
        _first_to_go(self._process.pid)
        return True

    async def _attend(self, watcher: Watcher) -> None:
        """Until the worker ends, has to be given up, or cannot be attended to any more."""
        assert self._process is not None
        loops = (self._listen(watcher), self._speak(), self._miss(watcher), self._process.wait())
        tasks = [asyncio.ensure_future(loop) for loop in loops]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                _log.error("vision worker %d is given up: %s at %s", self._starts, type(error).__name__, place(error))

    async def _listen(self, watcher: Watcher) -> None:
        assert self._socket is not None
        while True:
            match self._inbox.receive(await self._socket.recv()):
                case Report() as report:
                    self._reported(watcher, report)
                case Busy() as busy:
                    self._works(watcher, busy)
                case Picture() as picture if self._pictures is not None:
                    self._pictures(picture)

    def _reported(self, watcher: Watcher, report: Report) -> None:
        if not self._heard:
            _log.info("vision worker %d reports", self._starts)
        self._heard, self._heard_at, self._busy = True, watcher.clock.now(), None
        self._worked = True
        self._observed |= report.observation is not None
        self._patience.looked(report.frame_ms)
        self._last = report
        if report.frame:
            self._saw = (self._saw[0] if self._saw else self._heard_at, self._heard_at)
        watcher.seen(report)

    def _works(self, watcher: Watcher, busy: Busy) -> None:
        """Slow work lives by what it gets done; once the camera was there, players hear of it only if it lasts."""
        if busy == self._busy:
            return
        now = watcher.clock.now()
        if self._busy is None or self._busy.doing != busy.doing:
            _log.info("vision worker %d %s", self._starts, busy.doing)
        if self._heard and self._busy is None:
            self._tell_at = now + self._patience.silent_s
        self._heard_at, self._busy = now, busy
        if now >= self._tell_at:
            self._tell_at = now + TOLD_S
            watcher.silent(
                say("The camera is getting ready: {done} of {of}", done=busy.done, of=busy.of), starting=True
            )

    async def _speak(self) -> None:
        """Messages wait here until the worker has connected."""
        assert self._socket is not None
        while True:
            await self._socket.send(msgspec.json.encode(await self._outgoing.get()))

    async def _miss(self, watcher: Watcher) -> None:
        """Returns when the worker has to be given up."""
        told, present, looked_at = False, self._plugged(), watcher.clock.now()
        self._cameras = present
        while True:
            if self._heard_at > looked_at:  # it has spoken since, so it can do with what was there
                self._cameras = present
            present, looked_at = self._plugged(), watcher.clock.now()
            quiet, patience = watcher.clock.now() - self._heard_at, self._patience
            silent = self._heard and quiet >= patience.silent_s
            if self._lent:
                return
            if quiet >= (patience.hung_s if self._heard else patience.start_s):
                _log.error("vision worker %d did not answer for %.0f s", self._starts, quiet)
                return
            if silent and present - self._cameras:
                _log.warning(
                    "vision worker %d waits for a camera that was unplugged, and one was plugged in", self._starts
                )
                return
            if silent and not told:
                watcher.silent(GONE)
            told = silent
            await self._rest(watcher.clock, ROUND_S)

    async def _rest(self, clock: Clock, seconds: float, over: Callable[[], bool] = lambda: False) -> None:
        """over: what ends the rest early."""
        until = clock.now() + seconds
        while clock.now() < until and not over():
            self._beat()
            await clock.sleep_until(min(until, clock.now() + ROUND_S))

    async def _end(self) -> None:
        """The worker is gone when this returns; but one that its camera's driver holds even against a kill is left."""
        process, self._process, self._busy = self._process, None, None
        try:
            if process is not None and process.returncode is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ask_to_quit(process), QUIT_S)
        finally:
            await self._gone(process)

    async def _gone(self, process: asyncio.subprocess.Process | None) -> None:
        if process is not None and process.returncode is None:
            process.kill()
            try:
                await asyncio.wait_for(process.wait(), QUIT_S)
            except TimeoutError:
                _log.error("vision worker %d cannot even be killed: its camera's driver hangs", self._starts)
        if self._socket is not None:
            self._socket.close(0)
            self._socket = None
        Path(ipc(self._folder, f"vision-{self._starts}").removeprefix("ipc://")).unlink(missing_ok=True)

    async def _ask_to_quit(self, process: asyncio.subprocess.Process) -> None:
        """Lets the worker close its camera."""
        assert self._socket is not None
        await self._socket.send(msgspec.json.encode(Quit()))
        await process.wait()
