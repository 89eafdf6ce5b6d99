"""Runs longer tasks: camera preview, camera processes, saving, printing.

A task returns the camera, and sends no more pictures, once a match needs it (law 5).
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import msgspec

from device.camera_preview import CameraPreview
from device.child_process import answer
from device.clock import Clock
from device.owner.backup import NAME, Sifted, save
from device.owner.file_faults import Unusable, sentence
from device.owner.steps import GO_ON, LONGEST_PICTURE, TASK_FAILED, File, TaskChoice, TaskStep, decode_step, encode
from device.session.check import GONE, STARTING
from device.settings import owner_command
from engine.errors import RefereeError
from engine.text import Text, say
from vision.files import BadFile, read_bytes

ROUND_S = 0.25
DARK_S = 20.0
"""Seconds without a picture that count as a fault."""

PICTURE_S = 1.0
"""Seconds between preview pictures."""

WIDTH = 560
"""Width of preview pictures in pixels."""

LONGEST_LINE = 256 * 1024
"""Bytes of one step on the pipe, with its picture in base64."""

LONGEST_FILE = 32_000_000
"""Bytes of a PDF."""

SILENT_S = 20.0
"""Seconds without a step before a camera task may hang."""

QUIT_S = 3.0

STOP = say("Stop")
SAVE = say("Save pieces and cards")
SHEETS = say("Sheets to print")
LEFT_OUT = say("Left out because it can't be used:")
MOST_LEFT_OUT = 5
"""Number of faults on the page; the log has all."""

NOBODY = say("Nobody was watching, so the preview stopped.")
FAILED = say("That could not be started. The service's log says why.")
HANGS = say("The camera is not responding.")
HELD = say("The camera is not responding, so play continues without it. Unplug the table and plug it in again.")
NEEDED = say("The camera is busy with a game. Come back later.")
_log = logging.getLogger(__name__)


class CameraLender(Protocol):
    """Lends the camera (`device.daemon.vision_supervisor.VisionWorker`)."""

    def lend_camera(self) -> AbstractAsyncContextManager[None]: ...


class RunningTask(ABC):
    """A running task."""

    def __init__(self, clock: Clock, step: TaskStep) -> None:
        self._clock, self._step, self._over = clock, step, False
        self.shown = False
        """True once the owner has seen it, so another step on display means it was left."""
        self.left = False
        """True once cancelled; a second time would cut its cleanup short."""

    @property
    def over(self) -> bool:
        return self._over

    def step(self) -> TaskStep:
        return self._step

    def choose(self, line: int) -> None:
        """End the task if it has this choice."""
        self._over = self._over or line in range(len(self._step.choices))

    @abstractmethod
    async def run(self) -> None:
        """Do the work. Cancelled at most once."""

    def note_failure(self) -> None:
        """Report an unexpected error as the result."""
        self._tell(FAILED)

    def _tell(self, now: Text, *choices: Text) -> None:
        self._step = TaskStep(self._step.doing, now, choices=choices or (GO_ON,))

    async def _round(self) -> None:
        await self._clock.sleep_until(self._clock.now() + ROUND_S)


class Looking(RunningTask):
    """Shows the camera's picture with hints.

    unseen: returns why no picture is allowed, or None.
    invitation: returns the address for a phone to become the camera, or "".
    """

    def __init__(
        self,
        clock: Clock,
        camera: CameraLender | None,
        preview: Callable[[], CameraPreview],
        unseen: Callable[[], Text | None],
        invitation: Callable[[], str] = str,
    ) -> None:
        doing = say("The camera's picture")
        super().__init__(clock, TaskStep(doing, STARTING, choices=(GO_ON,)))
        self._camera, self._make, self._unseen, self._due = camera, preview, unseen, 0.0
        self._since, self._invitation = 0.0, invitation
        if camera is None:
            self._tell(say("This table has no camera: you enter each move."))

    async def run(self) -> None:
        while self._camera is not None and not self._over:
            why = self._unseen()
            if why is None:
                self._tell(STARTING)
                await self._show(self._camera)
                continue
            if not self._offer_phone():  # its code shows no picture
                self._tell(why)
            await self._round()

    async def _show(self, camera: CameraLender) -> None:
        async with camera.lend_camera():
            preview, self._since = self._make(), self._clock.now()
            working = asyncio.ensure_future(preview.worker.run(preview))
            try:
                while not self._over and self._unseen() is None and not working.done():
                    self._look(preview)
                    await self._round()
            finally:
                working.cancel()
                (ended,) = await asyncio.gather(working, return_exceptions=True)
                if isinstance(ended, Exception):
                    _log.error("the camera's picture ended: %s", ended)

    def _offer_phone(self) -> bool:
        """Show the code for a phone that will be the camera; return False if none is wanted."""
        address = self._invitation()
        if address:
            scan = say("Scan with the phone that will be the camera.")
            self._step = TaskStep(self._step.doing, scan, address=address, choices=(GO_ON,))
        return bool(address)

    def _look(self, preview: CameraPreview) -> None:
        picture, now = preview.picture(), self._clock.now()
        if self._offer_phone():
            return
        if picture is None and now >= self._since + DARK_S:
            self._step = TaskStep(self._step.doing, GONE, choices=(GO_ON,))
        if picture is None or now < self._due:
            return
        self._due = now + PICTURE_S
        fine = say("The camera sees the whole mat well.")
        said = say("Change this, and watch the picture:") if picture.hints else fine
        shown = picture.jpeg if 0 < len(picture.jpeg) <= LONGEST_PICTURE else None
        self._step = TaskStep(self._step.doing, said, remarks=picture.hints, choices=(GO_ON,), picture=shown)


class Remote(RunningTask):
    """A camera task in another process, which sends steps (`device.owner.steps.encode`)."""

    def __init__(
        self, clock: Clock, doing: Text, camera: CameraLender, command: Sequence[str], free: Callable[[], bool]
    ) -> None:
        super().__init__(clock, TaskStep(doing, STARTING, choices=(STOP,)))
        self._camera, self._command, self._free = camera, command, free
        self._process: asyncio.subprocess.Process | None = None
        self._heard_at = 0.0
        self._theirs = False
        """True if the shown step is the process's, which then receives choices."""

    def choose(self, line: int) -> None:
        if not self._theirs:
            super().choose(line)
        elif line in range(len(self._step.choices)) and self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(encode(TaskChoice(line)))

    async def run(self) -> None:
        if not self._free():
            self._tell(NEEDED)
            return
        async with self._camera.lend_camera():
            if self._over:
                return
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    process_group=0,
                    limit=LONGEST_LINE,
                )
                await self._attend(self._process)
            except OSError as error:
                _log.error("the camera's task cannot be started: %s", error)
                self._tell(FAILED)
            finally:
                await self._end()

    async def _attend(self, process: asyncio.subprocess.Process) -> None:
        self._heard_at = self._clock.now()
        hearing = asyncio.ensure_future(self._hear(process))
        try:
            while not hearing.done() and self._free() and not self._over:
                self._miss()
                await self._round()
        finally:
            done = hearing.done()
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
        self._theirs = False
        if self._over:
            return
        if not done:
            self._tell(NEEDED)
            return
        await self._end()
        if process.returncode == 0:
            self._over = True
        elif process.returncode is not None:
            _log.error("the camera's task ended with %s", process.returncode)
            if self._step.now != TASK_FAILED:  # else it has said why
                self._tell(TASK_FAILED)

    def _miss(self) -> None:
        if self._theirs and self._clock.now() >= self._heard_at + SILENT_S:
            self._theirs = False
            self._tell(HANGS, STOP)

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        with suppress(ValueError, ConnectionError):  # a line too long: as if ended
            while line := await process.stdout.readline():
                try:
                    self._step = decode_step(line)
                    self._theirs, self._heard_at = True, self._clock.now()
                except msgspec.DecodeError as error:
                    _log.error("a step of the camera's task cannot be read: %s", error)

    async def _end(self) -> None:
        process, self._theirs = self._process, False
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), QUIT_S)
        finally:
            await self._kill(process)

    async def _kill(self, process: asyncio.subprocess.Process) -> None:
        """Kill the process; give up if the camera's driver blocks it."""
        if process.returncode is not None:
            return
        process.kill()
        try:
            await asyncio.wait_for(process.wait(), QUIT_S)
        except TimeoutError:
            _log.error("the camera's task (process %d) cannot even be killed: its camera's driver hangs", process.pid)
            self._over = False
            self._tell(HELD)


class ProcessJob(RunningTask):
    """A task in another process. work: awaits its end, and returns the last step."""

    def __init__(self, clock: Clock, begun: TaskStep, work: Callable[[], Awaitable[TaskStep]]) -> None:
        super().__init__(clock, begun)
        self._work = work

    async def run(self) -> None:
        self._step = await self._work()


def saving(clock: Clock, state: Path, table: Path) -> RunningTask:
    """Return a task that packs the owner's pieces and cards into a file, and reports damaged ones. table: the table
    file."""
    return ProcessJob(clock, TaskStep(SAVE, say("One moment."), choices=(STOP,)), partial(_save, state, table))


async def _save(state: Path, table: Path) -> TaskStep:
    try:
        found = msgspec.json.decode(await answer("owner", "sift", str(state)), type=Sifted)
        data = await asyncio.to_thread(save, state, found.out)
    except (OSError, BadFile, msgspec.DecodeError) as error:
        _log.error("nothing is saved: %s", error)
        return TaskStep(SAVE, say("It could not be saved. The service's log says why."), choices=(GO_ON,))
    remarks = _left_out(found.left)
    if data is None:
        now = say("There is nothing usable to save.")
        none = say("No pieces are enrolled, and no cards corrected.")
        return TaskStep(SAVE, now if found.out else none, remarks=remarks, choices=(GO_ON,))
    command = owner_command(table, "restore FILE")
    now = say("Everything you enrolled and corrected, in one file. To put it back: {command}", command=command)
    return TaskStep(SAVE, now, remarks=remarks, choices=(GO_ON,), file=File(NAME, data))


def _left_out(found: Sequence[Unusable]) -> tuple[Text, ...]:
    for each in found:
        _log.warning("it is not saved: %s", each.fault)
    said = dict.fromkeys(map(sentence, found))
    return (LEFT_OUT, *list(said)[:MOST_LEFT_OUT]) if said else ()


def printing(clock: Clock, title: Text, words: Sequence[str], scratch: Path) -> RunningTask:
    """Return a task that draws a game's printable sheets. words: arguments of `referee print`. scratch: parent of a
    temporary folder."""
    begun = TaskStep(SHEETS, say("{game}: creating the sheets.", game=title), choices=(STOP,))
    return ProcessJob(clock, begun, partial(_print, title, words, scratch))


async def _print(title: Text, words: Sequence[str], scratch: Path) -> TaskStep:
    try:
        with TemporaryDirectory(dir=scratch, prefix="sheets-") as folder:
            file = await _drawing_file(words, Path(folder))
    except (OSError, BadFile, RefereeError) as error:
        _log.error("no sheets: %s", error)
        return TaskStep(SHEETS, say("The sheets could not be created. The service's log says why."), choices=(GO_ON,))
    now = say("{game}: the sheets are ready. Print them at 100%.", game=title)
    return TaskStep(SHEETS, now, choices=(GO_ON,), file=file)


async def _drawing_file(words: Sequence[str], folder: Path) -> File:
    await answer("print", *words, "--out", str(folder))
    path = next(iter(sorted(folder.glob("*.pdf"))), None)
    if path is None:
        raise OSError("`referee print` has made no sheets")
    return File(path.name, read_bytes(path, limit=LONGEST_FILE))
