"""Supervises the vision worker process.

Each start has its own address, against stale messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

import msgspec
import zmq
import zmq.asyncio

from device.bus.endpoints import ipc, runtime_dir
from device.clock import Clock
from device.logs import place
from device.session.check import GONE, STARTING
from engine.text import Text, say
from vision.device_nodes import plugged_nodes
from vision.message_decoding import Inbox
from vision.messages import VERSION, Busy, FromWorker, Picture, Quit, Report, RestPicture, ToWorker

SILENT_S = 2.0
"""Seconds of silence before players are informed."""

HUNG_S, LONGEST_HUNG_S = 8.0, 60.0
"""Seconds of silence before a kill; an unplugged camera may block for ever."""

START_S, LONGEST_START_S = 30.0, 240.0
"""Seconds until the first report."""

SPENT_S = 2.0
"""Processor seconds of the daemon's start on a fast enough machine."""

LOOKS = 4.0
"""Silence reported after this multiple of the slowest picture's time; a kill comes after twice that."""

FADES = 0.98
"""Decay of the slowest time, per picture."""


class WorkerTimeout:
    """Time limits in seconds. spent_s: processor time of the daemon's start."""

    def __init__(self, spent_s: float = 0.0) -> None:
        self._slowness = max(1.0, spent_s / SPENT_S)
        self._look_s = 0.0

    def note_look(self, frame_ms: float) -> None:
        self._look_s = max(frame_ms / 1000, self._look_s * FADES)

    @property
    def silent_s(self) -> float:
        return min(max(SILENT_S, LOOKS * self._look_s), self.hung_s / 2)

    @property
    def hung_s(self) -> float:
        return min(max(HUNG_S * self._slowness, 2 * LOOKS * self._look_s), LONGEST_HUNG_S)

    @property
    def start_s(self) -> float:
        return min(START_S * self._slowness, LONGEST_START_S)


ROUND_S = 0.25
"""Seconds between checks of the worker and of plugged-in cameras."""

TOLD_S = 1.0
"""Seconds between progress messages of slow work."""

QUIT_S = 1.0
"""Seconds for a worker to close its camera."""

OOM_SCORE = 500
"""The worker's oom_score_adj (proc(5))."""

BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds between failing workers; ends early when a camera is plugged in."""

AWAY_S = 1.0
"""Longest such wait once a worker has reported."""

STEADY_S = 60.0
"""Seconds of pictures after which a failure counts as the first."""

_log = logging.getLogger(__name__)

Command = Callable[[str], Sequence[str]]
"""Returns the command line of a worker for an address."""


def _first_to_go(pid: int) -> None:
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text(f"{OOM_SCORE}\n", encoding="ascii")


class Watcher(Protocol):
    """Receives the worker's messages."""

    @property
    def clock(self) -> Clock: ...

    def on_report(self, report: Report) -> None: ...

    def silent(self, text: Text | None, *, starting: bool = False) -> None: ...

    def worker_started(self) -> None: ...


class CameraState(msgspec.Struct, frozen=True):
    """The camera's state.

    workers: started so far.
    health: last one, or "".
    frame_ms: per picture.
    busy: slow work, or "".
    observed: has reported an observation.
    """

    workers: int = 0
    health: str = ""
    frame_ms: float = 0.0
    busy: str = ""
    observed: bool = False


class _Child:
    def __init__(self, number: int, context: zmq.asyncio.Context, folder: Path) -> None:
        self.number, self._address = number, ipc(folder, f"vision-{number}")
        self._socket: zmq.asyncio.Socket = context.socket(zmq.PAIR)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._process: asyncio.subprocess.Process | None = None
        self._outgoing: asyncio.Queue[ToWorker] = asyncio.Queue()
        self.sent = 0

    @property
    def pid(self) -> int | None:
        """The process id; None unless it runs."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else None

    async def start(self, command: Command) -> bool:
        """Start the worker; return False, logged, if it can't be."""
        try:
            self._socket.bind(self._address)
            # A group of its own: Ctrl-C is the daemon's alone.
            self._process = await asyncio.create_subprocess_exec(
                *command(self._address), stdin=asyncio.subprocess.DEVNULL, process_group=0
            )
        except (OSError, zmq.ZMQError) as error:
            _log.error("vision worker %d cannot be started: %s", self.number, error)
            return False
        _first_to_go(self._process.pid)
        return True

    def send(self, message: ToWorker) -> None:
        """Queue a message unless the worker has ended."""
        if not self._socket.closed:
            self.sent += 1
            self._outgoing.put_nowait(message)

    async def speak(self) -> None:
        """Send queued messages, once the worker has connected."""
        while True:
            await self._socket.send(msgspec.json.encode(await self._outgoing.get()))

    async def receive(self) -> bytes:
        return await self._socket.recv()

    async def on_end(self) -> None:
        assert self._process is not None
        await self._process.wait()

    async def end(self) -> None:
        """End the worker; only a hanging camera driver can keep it alive."""
        process, self._process = self._process, None
        try:
            if process is not None and process.returncode is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ask_to_quit(process), QUIT_S)
        finally:
            await self._on_gone(process)

    async def _ask_to_quit(self, process: asyncio.subprocess.Process) -> None:
        await self._socket.send(msgspec.json.encode(Quit()))
        await process.wait()

    async def _on_gone(self, process: asyncio.subprocess.Process | None) -> None:
        if process is not None and process.returncode is None:
            process.kill()
            try:
                await asyncio.wait_for(process.wait(), QUIT_S)
            except TimeoutError:
                _log.error("vision worker %d cannot even be killed: its camera's driver hangs", self.number)
        self._socket.close(0)
        Path(self._address.removeprefix("ipc://")).unlink(missing_ok=True)


class _Vitals(msgspec.Struct):
    """A worker's signs of life. tell_at: when players hear of `busy`. saw: times of first and last frame."""

    at: float
    tell_at: float
    last: Report | None = None
    busy: Busy | None = None
    observed: bool = False
    saw: tuple[float, float] | None = None

    @property
    def steady(self) -> bool:
        return self.saw is not None and self.saw[1] - self.saw[0] >= STEADY_S

    def report(self, report: Report, now: float) -> None:
        self.at, self.busy, self.last = now, None, report
        self.observed |= report.observation is not None
        if report.frame:
            self.saw = (self.saw[0] if self.saw else now, now)


class _Loan:
    """Lends the camera. lent: in use or wanted elsewhere. free: set while no worker has it."""

    def __init__(self) -> None:
        self.lent, self.free = False, asyncio.Event()
        self._queue = asyncio.Lock()

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[None]:
        async with self._queue:
            self.lent = True
            try:
                await self.free.wait()
                yield
            finally:
                self.lent = False


class VisionWorker:
    """Keeps one worker alive. Raises EndpointError.

    pictures, kept: receive pictures, and those to be kept.
    beat: called each round of the watching loop.
    plugged: returns the present cameras.
    """

    def __init__(
        self,
        command: Command,
        folder: Path,
        *,
        pictures: Callable[[Picture], None] | None = None,
        kept: Callable[[RestPicture], None] | None = None,
        beat: Callable[[], None] = lambda: None,
        timeout: WorkerTimeout | None = None,
        plugged: Callable[[], frozenset[str]] = plugged_nodes,
    ) -> None:
        self._patience, self._plugged = timeout or WorkerTimeout(), plugged
        self._cameras: frozenset[str] = frozenset()
        self._command, self._folder, self.pictures = command, runtime_dir(folder), pictures
        self._kept, self._beat, self._loan = kept, beat, _Loan()
        self._context: zmq.asyncio.Context = zmq.asyncio.Context()
        self._inbox: Inbox[FromWorker] = Inbox("vision", FromWorker, VERSION)
        self._starts = 0
        self._worked = False
        """True once any worker has reported."""
        self._child: _Child | None = None
        self._vitals = _Vitals(0.0, 0.0)

    @property
    def pid(self) -> int | None:
        """The worker's process id; None unless it runs."""
        return self._child.pid if self._child is not None else None

    @property
    def sent(self) -> int:
        """Number of messages queued for the current worker; 0 without one."""
        return self._child.sent if self._child is not None else 0

    @property
    def state(self) -> CameraState:
        """The camera's state, `frame_ms` rounded to 100 ms."""
        last, busy = self._vitals.last, self._vitals.busy
        health, frame_ms = (last.health.value, last.frame_ms) if last is not None else ("", 0.0)
        doing = f"{busy.doing}, {busy.done} of {busy.of}" if busy is not None else ""
        return CameraState(self._starts, health, round(frame_ms, -2), doing, self._vitals.observed)

    def send(self, message: ToWorker) -> None:
        """Queue a message for the current worker, if any; a new one gets all orders again."""
        if self._child is not None:
            self._child.send(message)

    def lend_camera(self) -> AbstractAsyncContextManager[None]:
        """Lend the camera, without a worker meanwhile. Requests queue; needs `run`."""
        return self._loan.lend()

    async def run(self, watcher: Watcher) -> None:
        """Run workers until cancelled."""
        failures = 0
        try:
            while True:
                await self._while_lent(watcher)
                watcher.silent(STARTING, starting=True)
                steady = await self._live(watcher)
                if self._loan.lent:
                    continue
                failures = 0 if steady else failures + 1
                watcher.silent(GONE)
                pause = self._pause(failures)
                _log.warning("vision worker ended; starting another in %.1f s", pause)
                self._cameras = self._plugged()
                await self._rest(watcher.clock, pause, lambda: self._loan.lent or self._plugged_in())
        finally:
            self._context.destroy(0)

    async def _while_lent(self, watcher: Watcher) -> None:
        if not self._loan.lent:
            return
        watcher.silent(say("The owner is using the camera."), starting=True)
        self._loan.free.set()
        try:
            while self._loan.lent:
                await self._rest(watcher.clock, ROUND_S, lambda: not self._loan.lent)
        finally:
            self._loan.free.clear()

    def _pause(self, failures: int) -> float:
        return min(BACKOFF_S[min(failures, len(BACKOFF_S) - 1)], AWAY_S if self._worked else BACKOFF_S[-1])

    def _plugged_in(self) -> bool:
        return bool(self._plugged() - self._cameras)

    async def _live(self, watcher: Watcher) -> bool:
        self._starts += 1
        now = watcher.clock.now()
        self._vitals = _Vitals(now, now)
        self._child = child = _Child(self._starts, self._context, self._folder)
        try:
            if await child.start(self._command):
                watcher.worker_started()
                await self._attend(child, watcher)
        finally:
            self._vitals.busy = None
            await child.end()
        return self._vitals.steady

    async def _attend(self, child: _Child, watcher: Watcher) -> None:
        loops = (self._listen(child, watcher), child.speak(), self._miss(watcher), child.on_end())
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

    async def _listen(self, child: _Child, watcher: Watcher) -> None:
        while True:
            match self._inbox.receive(await child.receive()):
                case Report() as report:
                    self._report(watcher, report)
                case Busy() as busy:
                    self._works(watcher, busy)
                case Picture() as picture if self.pictures is not None:
                    self.pictures(picture)
                case RestPicture() as rest if self._kept is not None:
                    self._kept(rest)

    def _report(self, watcher: Watcher, report: Report) -> None:
        if self._vitals.last is None:
            _log.info("vision worker %d reports", self._starts)
        self._worked = True
        self._vitals.report(report, watcher.clock.now())
        self._patience.note_look(report.frame_ms)
        watcher.on_report(report)

    def _works(self, watcher: Watcher, busy: Busy) -> None:
        vitals, now = self._vitals, watcher.clock.now()
        if busy == vitals.busy:
            return
        if vitals.busy is None or vitals.busy.doing != busy.doing:
            _log.info("vision worker %d %s", self._starts, busy.doing)
        if vitals.last is not None and vitals.busy is None:
            vitals.tell_at = now + self._patience.silent_s
        vitals.at, vitals.busy = now, busy
        if now >= vitals.tell_at:
            vitals.tell_at = now + TOLD_S
            watcher.silent(
                say("The camera is getting ready: {done} of {of}", done=busy.done, of=busy.of), starting=True
            )

    async def _miss(self, watcher: Watcher) -> None:
        """Return when the worker must be given up."""
        vitals, timeout = self._vitals, self._patience
        told, present, looked_at = False, self._plugged(), watcher.clock.now()
        self._cameras = present
        while True:
            if vitals.at > looked_at:  # it has spoken since, so what was there is enough
                self._cameras = present
            present, looked_at = self._plugged(), watcher.clock.now()
            quiet, heard = watcher.clock.now() - vitals.at, vitals.last is not None
            silent = heard and quiet >= timeout.silent_s
            if self._loan.lent:
                return
            if quiet >= (timeout.hung_s if heard else timeout.start_s):
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
        until = clock.now() + seconds
        while clock.now() < until and not over():
            self._beat()
            await clock.sleep_until(min(until, clock.now() + ROUND_S))
