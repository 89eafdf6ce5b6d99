"""The board under libcamera: its memory for pictures, the kernel's heap of it, and the cameras that are plugged in.

A Zero 2 W has 256 MB of contiguous memory (CMA). About 100 of them are free, in pieces: the kernel lends that memory to
others meanwhile, so that nothing of the size of a large sensor's picture can be had (issues 46, 1130 and 1358 of
picamera2). What is in use is counted, not booked: by the files of this process that stand for such memory, open or
mapped.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from libcamera.chip import Chip

PIECE, PIECES = 16 * 2**20, 6
NAME = "cma"
HEAPS = ("/dev/dma_heap/vidbuf_cached", "/dev/dma_heap/linux,cma")
ALLOC, SYNC, SET_NAME = 0, 0, 1
"""Numbers of the calls: of the heap ('H') the first, of a buffer ('b') the others."""

_MAPPED = re.compile(rf"^(\w+)-(\w+) .* (\d+) +/memfd:{NAME}\b")


class Allocation(ctypes.Structure):
    """struct dma_heap_allocation_data of linux/dma-heap.h."""

    _fields_ = (
        ("len", ctypes.c_uint64),
        ("fd", ctypes.c_uint32),
        ("fd_flags", ctypes.c_uint32),
        ("heap_flags", ctypes.c_uint64),
    )


_places: dict[int, int] = {}
"""In which piece each such file lies, by its number: also those of a board before."""


class Board:
    """heaps: the nodes that are there. forbidden: this user may not open them."""

    def __init__(self) -> None:
        self.pieces = [PIECE] * PIECES
        self.heaps: tuple[str, ...] = HEAPS[1:]
        self.forbidden = False
        self.numpy_fits = True
        self.most = 0
        """Bytes that were ever in use at once."""
        self.chips: list[Chip] = []
        self.wanted: Callable[[], bool] = lambda: True
        """Whether somebody waits for a picture: time stands still until then, so that nothing depends on a machine's
        pace."""

    def used(self) -> int:
        """Bytes of contiguous memory that this process holds."""
        return sum(self._held().values())

    def _held(self) -> dict[int, int]:
        """Bytes of each file that stands for such memory, by its number; not those of an earlier import."""
        held: dict[int, int] = {}
        for link in Path("/proc/self/fd").iterdir():
            try:
                if str(link.readlink()).startswith(f"/memfd:{NAME}"):
                    found = link.stat()
                    held[found.st_ino] = found.st_size
            except FileNotFoundError:
                continue
        for line in Path("/proc/self/maps").read_text().splitlines():
            if NAME in line and (mapped := _MAPPED.match(line)):
                held.setdefault(int(mapped[3]), int(mapped[2], 16) - int(mapped[1], 16))
        return {file: size for file, size in held.items() if file in _places}

    def allocate(self, size: int) -> int:
        """A file that stands for so much memory. Raises OSError if there is none left."""
        held, left = self._held(), list(self.pieces)
        for file, bytes_held in held.items():
            if _places[file] < len(left):  # it may be of a board that had more
                left[_places[file]] -= bytes_held
        place = next((place for place, room in enumerate(left) if room >= size), None)
        if place is None:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        handle = os.memfd_create(NAME)
        os.ftruncate(handle, size)
        _places[os.fstat(handle).st_ino] = place
        self.most = max(self.most, sum(held.values()) + size)
        return handle

    def open(self, path: str, flags: int) -> int:
        """As the kernel opens a heap."""
        if path not in self.heaps:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        if self.forbidden:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return os.open("/dev/null", flags)

    def ioctl(self, handle: int, request: int, given: object) -> int:
        """The calls of a heap and of its buffers."""
        kind, number = request >> 8 & 0xFF, request & 0xFF
        if kind == ord("b") and number in (SYNC, SET_NAME):
            os.fstat(handle)
            return 0
        if kind != ord("H") or number != ALLOC:
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")
        asked = Allocation.from_buffer(given)  # type: ignore[arg-type]  # the caller's own structure
        asked.fd = self.allocate(asked.len)
        return 0

    def kernel(self) -> tuple[SimpleNamespace, SimpleNamespace]:
        """In place of the modules os and fcntl, for those who speak with the heap."""
        names = ("close", "O_CLOEXEC", "O_RDWR")
        return SimpleNamespace(open=self.open, **{name: getattr(os, name) for name in names}), SimpleNamespace(
            ioctl=self.ioctl
        )


board = Board()
