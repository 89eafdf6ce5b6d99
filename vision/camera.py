"""Cameras behind one protocol, and the pictures that they take. Implementations live in `vision/cameras/`."""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.errors import RefereeError
from vision.quantiles import median

Image = npt.NDArray[np.uint8]
"""A picture, H x W x 3, BGR, or H x W, gray."""


SMALL_WIDTH = 320
"""Pixels across the small gray stream."""


class CameraLost(RefereeError, OSError):
    """The camera is gone, frozen, or did not answer in time. Opening it anew may help."""


class CameraStuck(CameraLost):
    """Nothing but the end of this process lets go of the camera."""


class NoFrameYet(RefereeError):
    """No frame came in time, but none is late: the camera keeps a time that may stand still."""


class Pyramid:
    """A picture (BGR or gray), whole and smaller, in colour and gray, each made when first asked for."""

    def __init__(self, image: Image) -> None:
        self._colour = {1: image}
        self._gray: dict[int, Image] = {}

    @property
    def image(self) -> Image:
        """The whole picture."""
        return self.colour()

    def colour(self, shrink: int = 1) -> Image:
        """The picture, averaged down. shrink: a power of two, how many pixels across become one; what is left over
        of an odd row or column is left out.
        """
        if shrink not in self._colour:
            larger = self.colour(shrink // 2)
            height, width = (length // 2 for length in larger.shape[:2])
            half = cv2.resize(larger[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
            self._colour[shrink] = np.asarray(half, np.uint8)
        return self._colour[shrink]

    def gray(self, shrink: int = 1) -> Image:
        """The same in gray."""
        if shrink not in self._gray:
            self._gray[shrink] = _gray(self.colour(shrink))
        return self._gray[shrink]

    def small(self) -> Image:
        """A gray picture 320 pixels wide, averaged down, so that most of the noise is gone."""
        height, width = self.image.shape[:2]
        shrink = 1
        while width // shrink >= 2 * SMALL_WIDTH:  # by halves: much faster than all at once, and needed again
            shrink *= 2
        size = (min(width, SMALL_WIDTH), max(1, round(height * min(1.0, SMALL_WIDTH / width))))
        if self.colour(shrink).shape[1::-1] == size:
            return self.gray(shrink)
        return _gray(np.asarray(cv2.resize(self.colour(shrink), size, interpolation=cv2.INTER_AREA), np.uint8))


def _gray(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8) if image.ndim == 3 else image


class Frame(msgspec.Struct, frozen=True):
    """One picture and its stamp in seconds; `small` is the low-resolution gray stream that the motion gate reads.

    orders: in simulated time, how many orders the worker was given before the picture was taken (0: nobody says).
    """

    serial: int
    at: float
    picture: Pyramid
    small: Image
    orders: int = 0

    @classmethod
    def of(cls, serial: int, at: float, image: Image, orders: int = 0) -> Self:
        """A frame of a camera that provides no small stream: it is made of the picture."""
        picture = Pyramid(image)
        return cls(serial, at, picture, picture.small(), orders)

    @property
    def image(self) -> Image:
        """The whole picture."""
        return self.picture.image

    @property
    def brightness(self) -> float:
        """The median of the picture's gray levels."""
        return median(self.small[::2, ::2])


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


@runtime_checkable
class Dimming(Protocol):
    """A camera whose exposure can be turned down from where it is locked."""

    def dim(self, stops: float) -> bool:
        """Takes pictures so many stops darker than locked from now on, 0 or more. False if it cannot, or not now."""
        ...
