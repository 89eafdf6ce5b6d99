"""Frames through shared memory: a ring in a mapped file, written by the simulator and read by the vision worker.

The file lies in the private runtime directory (mode 0600); on Linux put it on a tmpfs. One writer, one reader. Every
slot carries its serial before and after the picture, so that a half-written slot is never taken for a frame. The
writer knows that frame n was dealt with when the worker's `Report` for n arrives; then simulated time may go on.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import time
from pathlib import Path

import numpy as np

from vision.camera import CameraLost, Frame, Image, NoFrameYet

MAGIC = b"TRF1"
SLOTS = 3
POLL_S = 0.0005
HEADER = struct.Struct("<4sHHHHQ")  # magic, slots, width, height, dimmed, newest serial (1-based; 0: none; END: over)
DIMMED, PARTS = slice(10, 12), 100
"""Where the header has by how many hundredths of a stop pictures are to be darker: the reader writes it."""

SLOT = struct.Struct("<QdQQ")  # serial before, stamp, orders given before, serial after
END = 2**64 - 1


def _slot_size(width: int, height: int) -> int:
    return SLOT.size + width * height * 3


class FrameRing:
    """The writing side. Serials are given by the writer and must grow."""

    def __init__(self, path: Path, width: int, height: int, slots: int = SLOTS) -> None:
        self.path, self.width, self.height, self.slots = path, width, height, slots
        size = HEADER.size + slots * _slot_size(width, height)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.ftruncate(descriptor, size)
            self._map = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        HEADER.pack_into(self._map, 0, MAGIC, slots, width, height, 0, 0)

    @property
    def dimmed(self) -> float:
        """Return by how many stops the reader wants pictures to be darker."""
        return int.from_bytes(self._map[DIMMED], "little") / PARTS

    def _newest(self, serial: int) -> None:
        """Write only the number, in one piece: packing the whole header would let a reader see it empty."""
        self._map[HEADER.size - 8 : HEADER.size] = serial.to_bytes(8, "little")

    def write(self, serial: int, at: float, image: Image, orders: int = 0) -> None:
        """Puts a height x width x 3 BGR picture into the ring as the newest. Raises ValueError if misshaped.

        orders: see `vision.camera.Frame`.
        """
        if image.shape != (self.height, self.width, 3) or image.dtype != np.uint8:
            raise ValueError(f"the ring holds {self.height} x {self.width} x 3 pictures of uint8, not {image.shape}")
        start = HEADER.size + (serial % self.slots) * _slot_size(self.width, self.height)
        SLOT.pack_into(self._map, start, 0, at, orders, 0)
        pixels = start + SLOT.size
        view = np.frombuffer(self._map, np.uint8, image.size, pixels).reshape(image.shape)
        view[:] = image
        del view
        SLOT.pack_into(self._map, start, serial, at, orders, serial)
        self._newest(serial)

    def end(self) -> None:
        """Tells the reader that no further frame will come."""
        self._newest(END)

    def close(self) -> None:
        """Unmaps and removes the ring."""
        self._map.close()
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


class SharedCamera:
    """The reading side, a `Camera`: each `read` waits for a frame newer than the one before."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._map: mmap.mmap | None = None
        self._last = 0

    def open(self) -> None:
        try:
            with self._path.open("r+b") as file:
                self._map = mmap.mmap(file.fileno(), 0)
        except (OSError, ValueError) as error:
            raise CameraLost(f"no frames at {self._path}: {error}; is the simulator running?") from error
        if len(self._map) < HEADER.size or HEADER.unpack_from(self._map)[0] != MAGIC:
            self.close()
            raise CameraLost(f"{self._path} is not a ring of frames")
        self.dim(0.0)

    def read(self, timeout_s: float) -> Frame | None:
        if self._map is None:
            raise CameraLost("the shared camera is not open")
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            _, slots, width, height, _, newest = HEADER.unpack_from(self._map)
            if newest == END:
                return None
            if newest != self._last and (frame := self._take(newest, slots, width, height)) is not None:
                self._last = newest
                return frame
            time.sleep(POLL_S)
        raise NoFrameYet(f"no frame at {self._path} within {timeout_s:g} s: simulated time may stand still")

    def _take(self, serial: int, slots: int, width: int, height: int) -> Frame | None:
        assert self._map is not None
        start = HEADER.size + (serial % slots) * _slot_size(width, height)
        before, at, orders, after = SLOT.unpack_from(self._map, start)
        view = np.frombuffer(self._map, np.uint8, width * height * 3, start + SLOT.size)
        image = view.reshape(height, width, 3).copy()
        del view
        still = SLOT.unpack_from(self._map, start)
        if before != serial or after != serial or still != (before, at, orders, after):
            return None
        return Frame.of(serial, at, image, orders)

    def dim(self, stops: float) -> bool:
        """The next picture that is taken shows it."""
        if self._map is None:
            return False
        self._map[DIMMED] = round(stops * PARTS).to_bytes(2, "little")
        return True

    def pace(self, frames_per_second: float) -> None:
        """The writer sets the pace."""

    def close(self) -> None:
        if self._map is not None:
            self._map.close()
            self._map = None
