"""Defines a camera task's job, without loading OpenCV."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import msgspec

from device.daemon.assembly import camera_spec
from device.settings.table import NoCamera, TableSettings
from engine.errors import Invalid
from engine.text import say
from vision.cameras import CameraSpec, hide_address

SHOTS = 3


class Job(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set to enrol.

    kinds, mats: all if empty.
    shots: pictures of each kind.
    parent: process that this one must not outlive; 0 for none.
    """

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
    """Return the job that enrols a set. Raises Invalid without a camera."""
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
    """Return the command line that enrols a set, after writing a network camera's address to a private file. Raises
    Invalid without a camera, OSError."""
    job = job_of(settings, name)
    job = msgspec.structs.replace(job, camera=hide_address(job.camera, settings.runtime_dir), parent=os.getpid())
    return (sys.executable, "-m", "device.owner.camera_process_main", msgspec.json.encode(job).decode())
