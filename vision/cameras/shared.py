"""Reads rings of pictures, and passes frames from simulator to vision worker.

The worker's `Report` for a frame lets simulated time continue.
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from vision.camera import CameraLost, Frame, Image, NoFrameYet
from vision.cameras.ring import DIMMED, EDGE, END, HEADER, MAGIC, PARTS, REGION, SLOT, SLOTS, PictureRing

POLL_S = 0.0005


class RingSlot(msgspec.Struct, frozen=True):
    """A ring's newest data."""

    serial: int
    at: float
    orders: int
    data: bytes


class FrameRing(PictureRing):
    """A ring of BGR pictures."""

    def __init__(self, path: Path, width: int, height: int, slots: int = SLOTS) -> None:
        super().__init__(path, width * height * 3, slots, (width, height))
        self.width, self.height = width, height

    def write(self, serial: int, at: float, image: Image, orders: int = 0) -> None:
        """Add a BGR picture, height x width x 3. Raises ValueError for others. orders: see `vision.camera.Frame`."""
        if image.shape != (self.height, self.width, 3) or image.dtype != np.uint8:
            raise ValueError(f"the ring holds {self.height} x {self.width} x 3 pictures of uint8, not {image.shape}")
        self.put(serial, at, np.ascontiguousarray(image).data.cast("B"), orders)


class RingReader:
    """A ring's reader. `open` clears its wishes."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._map: mmap.mmap | None = None
        self._last = 0
        self.over = False
        """True once the writer has ended."""

    def open(self, absent: str) -> None:
        """Map the ring. Raises CameraLost. absent: why it may be missing."""
        try:
            with self._path.open("r+b") as file:
                if os.fstat(file.fileno()).st_uid != os.geteuid():
                    raise PermissionError("it is another user's")
                self._map = mmap.mmap(file.fileno(), 0)
        except (OSError, ValueError) as error:
            raise CameraLost(f"no frames at {self._path}: {error}; {absent}") from error
        if len(self._map) < HEADER.size or HEADER.unpack_from(self._map)[0] != MAGIC:
            self.close()
            raise CameraLost(f"{self._path} is not a ring of frames")
        self._map[DIMMED.start : REGION.stop] = bytes(REGION.stop - DIMMED.start)

    @property
    def size(self) -> tuple[int, int]:
        """Return its pictures' width and height; (0, 0) for JPEG. Raises CameraLost if not open."""
        _, _, width, height, *_ = HEADER.unpack_from(self._memory())
        return width, height

    def wait(self, timeout_s: float) -> RingSlot | None:
        """Return data newer than the last; None if none came in time, or at the end. Raises CameraLost if not open."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            _, slots, *_, newest = HEADER.unpack_from(self._memory())
            self.over = newest == END
            if self.over:
                return None
            if newest != self._last and (found := self._take(newest, slots)) is not None:
                self._last = newest
                return found
            time.sleep(POLL_S)
        return None

    def wish(self, place: slice, *values: int) -> bool:
        """Write a wish into the header; return False if the ring is not open."""
        if self._map is None:
            return False
        self._map[place] = b"".join((value % 2**16).to_bytes(2, "little") for value in values)
        return True

    def crop(self, corners: Sequence[float]) -> None:
        """Request only a region; see `Cropping`."""
        self.wish(REGION, *(min(max(round(part * EDGE), -(2**15)), 2**15 - 1) for part in corners or [0.0] * 8))

    def close(self) -> None:
        if self._map is not None:
            self._map.close()
            self._map = None

    def _memory(self) -> mmap.mmap:
        if self._map is None:
            raise CameraLost("the shared camera is not open")
        return self._map

    def _take(self, serial: int, slots: int) -> RingSlot | None:
        mapped = self._memory()
        start = HEADER.size + (serial % slots) * ((len(mapped) - HEADER.size) // slots)
        head = SLOT.unpack_from(mapped, start)
        before, at, orders, size, after = head
        data = mapped[start + SLOT.size : start + SLOT.size + size]
        if before != serial or after != serial or SLOT.unpack_from(mapped, start) != head:
            return None
        return RingSlot(serial, at, orders, data)


class SharedCamera:
    """The simulator's `Camera`; `read` waits for a newer frame."""

    def __init__(self, path: str) -> None:
        self._path, self._ring = path, RingReader(path)

    def open(self) -> None:
        self._ring.open("is the simulator running?")

    def read(self, timeout_s: float) -> Frame | None:
        slot = self._ring.wait(timeout_s)
        if slot is not None:
            width, height = self._ring.size
            image = np.frombuffer(bytearray(slot.data), np.uint8).reshape(height, width, 3)
            return Frame.of(slot.serial, slot.at, image, slot.orders)
        if self._ring.over:
            return None
        raise NoFrameYet(f"no frame at {self._path} within {timeout_s:g} s: simulated time may stand still")

    def dim(self, stops: float) -> bool:
        return self._ring.wish(DIMMED, round(stops * PARTS))

    def crop(self, corners: Sequence[float]) -> None:
        self._ring.crop(corners)

    def pace(self, frames_per_second: float) -> None:
        """Do nothing: the writer sets the pace."""

    def close(self) -> None:
        self._ring.close()
