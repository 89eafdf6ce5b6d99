"""Passes frames by a memory-mapped ring from simulator to vision worker.

The file is private (mode 0600), on Linux best on tmpfs; one writer, one reader. Slots carry their serial before and
after the picture, so partial ones are skipped. The worker's `Report` for a frame lets simulated time continue.
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
"""Header bytes for darkening in 1/100 stop, written by the reader."""

SLOT = struct.Struct("<QdQQ")  # serial before, stamp, orders given before, serial after
END = 2**64 - 1


def _slot_size(width: int, height: int) -> int:
    return SLOT.size + width * height * 3


class FrameRing:
    """The writer. Serials must increase."""

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
        """Return the stops requested by the reader."""
        return int.from_bytes(self._map[DIMMED], "little") / PARTS

    def _newest(self, serial: int) -> None:
        """Write the number alone, so that readers never see an empty header."""
        self._map[HEADER.size - 8 : HEADER.size] = serial.to_bytes(8, "little")

    def write(self, serial: int, at: float, image: Image, orders: int = 0) -> None:
        """Add a BGR picture, height x width x 3. Raises ValueError. orders: see `vision.camera.Frame`."""
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
        """Signal the end to the reader."""
        self._newest(END)

    def close(self) -> None:
        """Unmap and remove the ring."""
        self._map.close()
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


class SharedCamera:
    """The reader, a `Camera`; `read` waits for a newer frame."""

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
        """Request darker pictures from the next one."""
        if self._map is None:
            return False
        self._map[DIMMED] = round(stops * PARTS).to_bytes(2, "little")
        return True

    def pace(self, frames_per_second: float) -> None:
        """Do nothing: the writer sets the pace."""

    def close(self) -> None:
        if self._map is not None:
            self._map.close()
            self._map = None
