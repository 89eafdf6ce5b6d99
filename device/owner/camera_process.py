"""The process of a camera task: it has the camera in the worker's place, and speaks steps and choices over its pipes.

`python -m device.owner.camera_process JOB`: steps go to its standard output, choices come to its standard input, one
line of JSON each (`device.owner.steps`). It ends when the task is over (0), when nobody speaks to it any more (0), or
when the camera or the disk is lost (1). Pictures leave it, so it never runs while a match is open (law 5).
"""

from __future__ import annotations

import logging
import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from device.enrolment import LayingArea, kept_so_far, kinds_of, laid_on, looked_at
from device.owner.camera_job import Job
from device.owner.enrol import Enrolling
from device.owner.reference_pictures import Learning
from device.owner.steps import TaskStep, decode_choice, encode
from device.resources import load_shipped
from engine.errors import Invalid, RefereeError
from engine.text import Text, say
from vision.camera import CameraLost, NoFrameYet
from vision.cameras import open_camera
from vision.mat import Mat
from vision.parent_death import end_with
from vision.recognition.enrolment import make_writable
from vision.recognition.naming import PieceSet
from vision.registration.lens import load_lens

READ_S = 5.0
PICTURE_S = 0.4
"""Seconds between two steps that differ in nothing but their picture."""

FPS = 5.0

_log = logging.getLogger(__name__)


def task_of(job: Job) -> Enrolling:
    """The task of a job. Raises Invalid if the set is played on no mat; BadFile, or EnrolmentError for its folder."""
    pieces = load_shipped(PieceSet, "sets", f"{job.set}.toml")
    mats = tuple(mat for mat in laid_on(job.set) if not job.mats or mat.name in job.mats)
    if not mats:
        raise Invalid(say("{set} is played on no mat.", set=Text(job.set)))
    folder, kinds = Path(job.folder), job.kinds or kinds_of(pieces)
    make_writable(folder)
    learning = Learning(pieces, folder, kept_so_far(folder, pieces, whole=set(kinds) >= set(kinds_of(pieces))))
    return Enrolling(learning, kinds, job.shots, partial(looked_at, place=_place(job, mats), pieces=pieces))


def _place(job: Job, mats: tuple[Mat, ...]) -> LayingArea:
    lens = load_lens(Path(job.lens)) if job.lens is not None else None
    return LayingArea(mats, lens, np.array(job.corners, np.float64) if job.corners is not None else None)


class Ears:
    """Lines that came to a file descriptor, without waiting for them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, b""
        self.closed = False

    def lines(self) -> Iterator[bytes]:
        """Whole lines since the last time."""
        while not self.closed and select.select([self._descriptor], [], [], 0)[0]:
            data = os.read(self._descriptor, 65536)
            self.closed = not data
            self._rest += data
        *whole, self._rest = self._rest.split(b"\n")
        yield from whole


class Mouth:
    """Says a step if it is another than the last, and a picture alone not too often."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._last: TaskStep | None = None
        self._at = 0.0

    def say(self, step: TaskStep) -> None:
        now, plain = time.monotonic(), msgspec.structs.replace(step, picture=None)
        if plain == self._last and now - self._at < PICTURE_S:
            return
        self._last, self._at = plain, now
        line = encode(step)
        while line:
            line = line[os.write(self._descriptor, line) :]


def run(job: Job, ears: Ears, mouth: Mouth) -> None:
    """Run until the task is over, or nobody speaks to it. Raises CameraLost, EnrolmentError, OSError."""
    task = task_of(job)
    mouth.say(task.step())
    with closing(open_camera(job.camera)) as camera:
        camera.open()
        camera.pace(FPS)
        while not ears.closed:
            for line in ears.lines():
                task.choose(decode_choice(line).line)
            if task.over:
                return
            mouth.say(task.step())
            try:
                frame = camera.read(READ_S)
            except NoFrameYet:
                continue
            if frame is None:
                raise CameraLost("the recording is over")
            task.offer(frame.image)
            mouth.say(task.step())


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    job = msgspec.json.decode(sys.argv[1], type=Job)
    if job.parent:
        end_with(job.parent)
    try:
        run(job, Ears(sys.stdin.fileno()), Mouth(sys.stdout.fileno()))
    except BrokenPipeError:
        return 0
    except (RefereeError, OSError, msgspec.DecodeError) as error:
        _log.error("set %s: %s", job.set, error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
