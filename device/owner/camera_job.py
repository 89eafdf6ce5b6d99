"""How the process of a camera task is started: one JSON document. Whoever starts one need not read in OpenCV for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import msgspec

from device.daemon.assembly import camera_spec
from device.settings.table import NoCamera, TableSettings
from engine.errors import Invalid
from engine.text import say
from vision.cameras import CameraSpec

SHOTS = 3


class Job(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set to enrol. folder: where it is kept. kinds: those to take; all if empty. mats: their names; all on which the
    set is played if empty. parent: the process that this one must not outlive (0: nobody)."""

    set: str
    camera: CameraSpec
    folder: str
    kinds: tuple[str, ...] = ()
    shots: int = SHOTS
    lens: str | None = None
    corners: tuple[tuple[float, float], ...] | None = None
    mats: tuple[str, ...] = ()
    parent: int = 0


def job_of(settings: TableSettings, name: str, kinds: Sequence[str] = (), shots: int = SHOTS) -> Job:
    """Enrolling a set at a table. Raises Invalid if it has no camera."""
    spec, optics = camera_spec(settings), settings.camera
    if spec is None or isinstance(optics, NoCamera):
        raise Invalid(say("This table has no camera."))
    return Job(
        name,
        spec,
        str(settings.state_dir / "enrolled" / name),
        tuple(kinds),
        shots,
        str(optics.lens) if optics.lens is not None else None,
        optics.points,
    )


def command(settings: TableSettings, name: str) -> Sequence[str]:
    """The command line of the process that enrols a set, for whoever starts it. Raises Invalid without a camera."""
    job = msgspec.structs.replace(job_of(settings, name), parent=os.getpid())
    return (sys.executable, "-m", "device.owner.camera_process", msgspec.json.encode(job).decode())
