"""Defines the camera protocol and frames; `vision/cameras/` implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.errors import RefereeError
from engine.table import Health
from vision.quantiles import median

Image = npt.NDArray[np.uint8]
"""H x W x 3, BGR, or H x W, gray."""


SMALL_WIDTH = 320
"""Width of the small gray stream in pixels."""


class CameraLost(RefereeError, OSError):
    """The camera is gone, frozen or late. Reopening it may help."""

    def __init__(self, why: str, health: Health = Health.NO_FRAMES) -> None:
        super().__init__(why)
        self.health = health


class CameraStuck(CameraLost):
    """The driver blocks the camera until this process ends."""


class NoFrameYet(RefereeError):
    """No frame came in time, but the camera is not lost."""


class Pyramid:
    """A picture (BGR or gray) at several sizes and in gray."""

    def __init__(self, image: Image) -> None:
        self._colour = {1: image}
        self._gray: dict[int, Image] = {}

    @property
    def image(self) -> Image:
        return self.colour()

    def colour(self, shrink: int = 1) -> Image:
        """Return the averaged picture, its sides divided by `shrink` (a power of two), rounded down."""
        if shrink not in self._colour:
            larger = self.colour(shrink // 2)
            height, width = (length // 2 for length in larger.shape[:2])
            half = cv2.resize(larger[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
            self._colour[shrink] = np.asarray(half, np.uint8)
        return self._colour[shrink]

    def gray(self, shrink: int = 1) -> Image:
        """Return `colour(shrink)` in gray."""
        if shrink not in self._gray:
            self._gray[shrink] = _gray(self.colour(shrink))
        return self._gray[shrink]

    def small(self) -> Image:
        """Return a gray picture at most 320 pixels wide."""
        height, width = self.image.shape[:2]
        shrink = 1
        while width // shrink >= 2 * SMALL_WIDTH:  # halving is much faster, and reused
            shrink *= 2
        size = (min(width, SMALL_WIDTH), max(1, round(height * min(1.0, SMALL_WIDTH / width))))
        if self.colour(shrink).shape[1::-1] == size:
            return self.gray(shrink)
        return _gray(np.asarray(cv2.resize(self.colour(shrink), size, interpolation=cv2.INTER_AREA), np.uint8))


def _gray(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8) if image.ndim == 3 else image


class Frame(msgspec.Struct, frozen=True):
    """A picture with its timestamp in seconds.

    small: gray, of low resolution.
    orders: number sent to the worker before it, in simulated time; 0 if unknown.
    """

    serial: int
    at: float
    picture: Pyramid
    small: Image
    orders: int = 0

    @classmethod
    def of(cls, serial: int, at: float, image: Image, orders: int = 0) -> Self:
        """Build a frame, deriving `small` from the picture."""
        picture = Pyramid(image)
        return cls(serial, at, picture, picture.small(), orders)

    @property
    def image(self) -> Image:
        return self.picture.image

    @property
    def brightness(self) -> float:
        """Return the median gray level."""
        return median(self.small[::2, ::2])


class Camera(Protocol):
    """A source of frames. `close` is always safe."""

    def open(self) -> None:
        """Start the camera. Raises CameraLost."""
        ...

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame; None at the end of a recording or simulation. Raises CameraLost or NoFrameYet."""
        ...

    def pace(self, frames_per_second: float) -> None:
        """Request a frame rate. Recordings and simulations ignore it."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Relocking(Protocol):
    """A camera that can lock exposure and gains again."""

    def relock(self) -> None:
        """Let exposure and gains settle, then lock them; pictures continue."""
        ...


@runtime_checkable
class Dimming(Protocol):
    """A camera whose locked exposure can be lowered."""

    def dim(self, stops: float) -> bool:
        """Darken pictures by `stops` (0 or more) below the lock. Return False if impossible now."""
        ...


@runtime_checkable
class Cropping(Protocol):
    """A camera that can send part of its pictures, gray around it."""

    def crop(self, corners: Sequence[float]) -> None:
        """Request only the region within four corners (x and y, as shares of width and height); () for all."""
        ...
