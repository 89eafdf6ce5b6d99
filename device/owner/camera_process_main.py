"""Runs a camera task in its own process, in the worker's place.

`python -m device.owner.camera_process_main JOB` writes steps to standard output and reads choices from standard input,
as JSON lines (`device.owner.steps`). Exit code 1 means failure; the last step says why. Pictures leave it, so never
during a match (law 5).
"""

from __future__ import annotations

import logging
import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from device.enrolment import LayingArea, kept_so_far, kinds_of, laid_on, looked_at
from device.owner.camera_job import Job
from device.owner.enrol import Enrolling, Learning
from device.owner.steps import GO_ON, TASK_FAILED, TaskStep, decode_choice, encode
from device.resources import load_shipped
from device.session.check import trouble
from engine.errors import Invalid, RefereeError, Refusal
from engine.text import Text, clean, say, verbatim
from vision.camera import CameraLost, NoFrameYet
from vision.cameras import open_camera
from vision.mat import Mat
from vision.parent_death import end_with
from vision.recognition.enrolment import make_writable
from vision.recognition.naming import PieceSet
from vision.registration.lens import load_lens

READ_S = 5.0
PICTURE_S = 0.4
"""Seconds between steps that differ only in their picture."""

FPS = 5.0

_log = logging.getLogger(__name__)


def task_of(job: Job) -> Enrolling:
    """Create the job's folder; return its task. Raises Invalid if no mat uses the set, BadFile, EnrolmentError."""
    pieces = load_shipped(PieceSet, "sets", f"{job.set}.toml")
    mats = tuple(mat for mat in laid_on(job.set) if not job.mats or mat.name in job.mats)
    if not mats:
        raise Invalid(say("{set} has no mat.", set=Text(job.set)))
    folder, kinds = Path(job.folder), job.kinds or kinds_of(pieces)
    make_writable(folder)
    learning = Learning(pieces, folder, kept_so_far(folder, pieces, whole=set(kinds) >= set(kinds_of(pieces))))
    return Enrolling(learning, kinds, job.shots, partial(looked_at, place=_place(job, mats), pieces=pieces))


def _place(job: Job, mats: tuple[Mat, ...]) -> LayingArea:
    lens = load_lens(Path(job.lens)) if job.lens is not None else None
    return LayingArea(mats, lens, np.array(job.corners, np.float64) if job.corners is not None else None)


class ChoiceReader:
    """Reads lines from a file descriptor without waiting."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, b""
        self.closed = False

    def lines(self) -> Iterator[bytes]:
        """Yield whole lines since the last call."""
        while not self.closed and select.select([self._descriptor], [], [], 0)[0]:
            data = os.read(self._descriptor, 65536)
            self.closed = not data
            self._rest += data
        *whole, self._rest = self._rest.split(b"\n")
        yield from whole


class StepWriter:
    """Writes changed steps, and new pictures at a limited rate."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._last: TaskStep | None = None
        self._at = 0.0

    def write(self, step: TaskStep) -> None:
        now, plain = time.monotonic(), msgspec.structs.replace(step, picture=None)
        if plain == self._last and now - self._at < PICTURE_S:
            return
        self._last, self._at = plain, now
        line = encode(step)
        while line:
            line = line[os.write(self._descriptor, line) :]


def run(job: Job, choices: ChoiceReader, steps: StepWriter) -> None:
    """Run until the task ends or nobody listens. Raises as `task_of`, CameraLost, OSError,
    msgspec.DecodeError."""
    task = task_of(job)
    steps.write(task.step())
    with closing(open_camera(job.camera)) as camera:
        camera.open()
        camera.pace(FPS)
        while not choices.closed:
            for line in choices.lines():
                task.choose(decode_choice(line).line)
            if task.over:
                return
            steps.write(task.step())
            try:
                frame = camera.read(READ_S)
            except NoFrameYet:
                continue
            if frame is None:
                raise CameraLost("the recording is over")
            task.offer(frame.image)
            steps.write(task.step())


def reasons(error: Exception) -> tuple[Text, ...]:
    """Return an error as a sentence for the owner; () if it has none."""
    if isinstance(error, Refusal):
        return (error.text,)
    if isinstance(error, CameraLost):
        return (trouble(error.health),)
    return (verbatim(clean(str(error))),) if isinstance(error, RefereeError) else ()


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    job = msgspec.json.decode(sys.argv[1], type=Job)
    if job.parent:
        end_with(job.parent)
    steps = StepWriter(sys.stdout.fileno())
    try:
        run(job, ChoiceReader(sys.stdin.fileno()), steps)
    except BrokenPipeError:
        return 0
    except (RefereeError, OSError, msgspec.DecodeError) as error:
        _log.error("set %s: %s", job.set, error)
        doing = say("Enrol: {set}", set=Text(job.set))
        with suppress(OSError):
            steps.write(TaskStep(doing, TASK_FAILED, remarks=reasons(error), choices=(GO_ON,)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
