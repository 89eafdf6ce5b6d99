"""Cameras behind one protocol. Implementations live in `vision/cameras/`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
import numpy.typing as npt

from engine.errors import RefereeError

Image = npt.NDArray[np.uint8]
"""A picture, H x W x 3, BGR, or H x W, gray."""


class CameraLost(RefereeError, OSError):
    """The camera is gone, frozen, or did not answer in time. Opening it anew may help."""


class CameraStuck(CameraLost):
    """Nothing but the end of this process lets go of the camera."""


class NoFrameYet(RefereeError):
    """No frame came in time, but none is late: the camera keeps a time that may stand still."""


class Frame(msgspec.Struct, frozen=True):
    """One picture and its stamp in seconds; `small` is the low-resolution gray stream that the motion gate reads.

    orders: in simulated time, how many orders the worker was given before the picture was taken (0: nobody says).
    """

    serial: int
    at: float
    image: Image
    small: Image
    orders: int = 0


class Camera(Protocol):
    """A source of frames. A context manager: closing is always safe, also after a failure."""

    def open(self) -> None:
        """Starts the camera. Raises CameraLost."""
        ...

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame; None at the end of a recording. If none comes in time, raises CameraLost or NoFrameYet."""
        ...

    def pace(self, frames_per_second: float) -> None:
        """Asks for a rate: fast while something moves, slow at rest. A recording ignores it."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Relocking(Protocol):
    """A camera whose exposure and gains are locked, and can be locked anew."""

    def relock(self) -> None:
        """Lets exposure and gains settle, and locks them."""
        ...
