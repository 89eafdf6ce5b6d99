"""A memory-mapped ring of pictures for the vision worker, written without loading OpenCV.

The file is private (mode 0600), with one writer and one reader. Slots carry their serial before and after the data, so
partial ones are skipped.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import struct
from pathlib import Path

MAGIC = b"TRF3"
SLOTS = 3
HEADER = struct.Struct("<4sHHHHHH8HQ")
"""Magic, slots, width, height, the reader's wishes, newest serial (1-based; 0: none; END: over)."""

DIMMED, PACE, RELOCKS = slice(10, 12), slice(12, 14), slice(14, 16)
"""Header bytes of the reader's wishes: darkening in stops and frames a second, in 1/100, and relocks so far."""

REGION, EDGE = slice(16, 32), 2**13
"""Header bytes of the only region wanted: corners, perhaps outside, x and y in 1/EDGE of the picture; 0 for all."""

PARTS = 100
SLOT = struct.Struct("<QdQQQ")  # serial before, stamp, orders given before, bytes of data, serial after
END = 2**64 - 1


MEMORY = Path("/dev/shm")
"""A folder in memory: a phone's pictures are stored nowhere."""


def phone_ring(state: Path) -> Path:
    """Return the path of a table's phone ring. state: its folder."""
    return MEMORY / f"table-referee-{hashlib.sha256(str(state.absolute()).encode()).hexdigest()[:16]}"


class PictureRing:
    """A ring's writer; it replaces the file. Serials must increase.

    room: most bytes of a slot's data.
    size: width and height of pictures; (0, 0) for JPEG.
    """

    def __init__(self, path: Path, room: int, slots: int = SLOTS, size: tuple[int, int] = (0, 0)) -> None:
        self.path, self.slots, self._room = path, slots, room
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.ftruncate(descriptor, HEADER.size + slots * (SLOT.size + room))
            self._map = mmap.mmap(descriptor, 0)
        finally:
            os.close(descriptor)
        HEADER.pack_into(self._map, 0, MAGIC, slots, *size, *[0] * 12)

    @property
    def dimmed(self) -> float:
        """Return the reader's requested darkening in stops."""
        return self._wish(DIMMED) / PARTS

    @property
    def pace(self) -> float:
        """Return the reader's requested frames a second; 0 for none."""
        return self._wish(PACE) / PARTS

    @property
    def relocks(self) -> int:
        """Return the reader's number of requested relocks."""
        return self._wish(RELOCKS)

    @property
    def region(self) -> tuple[float, ...]:
        """Return the reader's requested region, as in `Cropping`; () for all."""
        corners = struct.unpack("<8h", self._map[REGION])
        return tuple(round(each / EDGE, 4) for each in corners) if any(corners) else ()

    def _wish(self, place: slice) -> int:
        return int.from_bytes(self._map[place], "little")

    def _newest(self, serial: int) -> None:
        """Publish the newest serial, alone, so that readers never see an empty header."""
        self._map[HEADER.size - 8 : HEADER.size] = serial.to_bytes(8, "little")

    def put(self, serial: int, at: float, data: bytes | memoryview, orders: int = 0) -> None:
        """Replace the oldest data. Raises ValueError if longer than `room`. orders: see `vision.camera.Frame`."""
        if len(data) > self._room:
            raise ValueError(f"the ring holds {self._room} bytes, not {len(data)}")
        start = HEADER.size + (serial % self.slots) * (SLOT.size + self._room)
        SLOT.pack_into(self._map, start, 0, at, orders, len(data), 0)
        self._map[start + SLOT.size : start + SLOT.size + len(data)] = data
        SLOT.pack_into(self._map, start, serial, at, orders, len(data), serial)
        self._newest(serial)

    def end(self) -> None:
        """Signal the end to the reader."""
        self._newest(END)

    def close(self) -> None:
        """Unmap and remove the ring."""
        self._map.close()
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
