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
    parent: process not to outlive; 0 for none.
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
    """Return a set's job. Raises Invalid without a camera."""
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
    """Return the command line that enrols a set, with a network camera's address in a private file. Raises as `job_of`,
    and OSError."""
    job = job_of(settings, name)
    job = msgspec.structs.replace(job, camera=hide_address(job.camera, settings.runtime_dir), parent=os.getpid())
    return (sys.executable, "-P", "-m", "device.owner.camera_process_main", msgspec.json.encode(job).decode())
