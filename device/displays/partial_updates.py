"""Sends displays only changes; luma sends SSD1306 and SH1106 whole frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeAlias

from PIL import Image

from device.displays.controllers import Fours, Memory, PagedMemory


class Window(NamedTuple):
    """A rectangle of cells, ends included."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


class CellGrid(NamedTuple):
    """Memory as rows of cells. size: bytes of a cell."""

    rows: tuple[bytes, ...]
    size: int

    @property
    def columns(self) -> int:
        return len(self.rows[0]) // self.size

    def part(self, window: Window) -> bytes:
        """Return the window's cells by rows."""
        left, right = window.left * self.size, (window.right + 1) * self.size
        return b"".join(row[left:right] for row in self.rows[window.top : window.bottom + 1])


Differs: TypeAlias = Sequence[int]
"""Changed cells, one `_bits` number per row."""


def changed_windows(before: CellGrid | None, after: CellGrid, overhead: int, banded: bool) -> tuple[Window, ...]:
    """Return windows that cover every change.

    before: None if unknown.
    overhead: extra bytes per window.
    banded: windows have a single row.
    """
    if before is None:
        differ = [b"\1" * after.columns] * len(after.rows)
    else:
        differ = [_differing(*rows, after.size) for rows in zip(before.rows, after.rows, strict=True)]
    if banded:
        return tuple(run for row, cells in enumerate(differ) for run in _runs(row, cells, overhead // after.size))
    return tuple(_split([_bits(cells) for cells in differ], 0, 0, overhead / after.size))


def _differing(before: bytes, after: bytes, size: int) -> bytes:
    if size == 1:
        both = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
        return both.to_bytes(len(after), "little")
    if before == after:
        return bytes(len(after) // size)
    return bytes(before[at : at + size] != after[at : at + size] for at in range(0, len(after), size))


def _runs(row: int, differ: bytes, gap: int) -> Iterator[Window]:
    return (Window(row, row, run.start(), run.end() - 1) for run in _run(gap).finditer(differ))


@cache
def _run(gap: int) -> re.Pattern[bytes]:
    return re.compile(rb"[^\0](?:\0{0,%d}[^\0])*" % gap)


def _bits(differ: bytes) -> int:
    return int(differ[::-1].translate(_DIGITS), 2)


_DIGITS = b"0" + b"1" * 255


def _split(differ: Differs, top: int, left: int, overhead: float) -> Iterator[Window]:
    """Split while it saves more than `overhead` cells."""
    rows = [number for number, row in enumerate(differ) if row]
    if not rows:
        return
    union = 0
    for row in differ:
        union |= row
    first, width = _first(union), _width(union)
    inside = [row >> first for row in differ[rows[0] : rows[-1] + 1]]
    top, left = top + rows[0], left + first
    down, saved_down = _cut(inside, width)
    turned = _transpose(inside, width)
    across, saved_across = _cut(turned, len(inside))
    if max(saved_down, saved_across) <= overhead:
        yield Window(top, top + len(inside) - 1, left, left + width - 1)
    elif saved_down >= saved_across:
        yield from _split(inside[:down], top, left, overhead)
        yield from _split(inside[down:], top + down, left, overhead)
    else:
        near = (1 << across) - 1
        yield from _split([row & near for row in inside], top, left, overhead)
        yield from _split([row >> across for row in inside], top, left + across, overhead)


def _first(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


def _width(cells: int) -> int:
    return cells.bit_length() - _first(cells) if cells else 0


def _transpose(differ: Differs, width: int) -> Differs:
    lines = (f"{row:0{width}b}" for row in reversed(differ))
    return [int("".join(column), 2) for column in zip(*lines, strict=True)][::-1]


def _cut(differ: Differs, width: int) -> tuple[int, int]:
    if len(differ) < 2:
        return 0, 0
    above = _areas(differ)[:-1]
    below = _areas(differ[::-1])[-2::-1]
    sent = [sum(both) for both in zip(above, below, strict=True)]
    least = min(sent)
    return sent.index(least) + 1, len(differ) * width - least


def _areas(differ: Differs) -> list[int]:
    found = list[int]()
    union = area = 0
    for number, row in enumerate(differ, 1):
        if row:
            union |= row
            area = number * _width(union)
        found.append(area)
    return found


EIGHTH = 8
"""Number of parts of a full refresh."""


class Addressing(Protocol):
    """A controller's memory layout. overhead, banded: see `changed_windows`."""

    overhead: int
    banded: bool

    def prepare(self, device: Any) -> None:
        """Complete luma's set-up."""
        ...

    def cells(self, image: Image.Image) -> CellGrid:
        """Convert a mode "1" picture to memory cells."""
        ...

    def send(self, device: Any, window: Window, cells: CellGrid) -> None:
        """Write the window's cells."""
        ...


FOURS = tuple(
    bytes(0xF0 * (eight >> high & 1) | 0x0F * (eight >> high - 1 & 1) for high in (7, 5, 3, 1)) for eight in range(256)
)
"""Eight pixels (leftmost in the highest bit) as four bits each."""


class PageAddressed:
    """SSD1306 and SH1106: pages of eight rows."""

    overhead = 3 + 2 + 2  # addressing; address and control byte of both messages on I2C
    banded = True

    def __init__(self, memory: PagedMemory) -> None:
        self._memory = memory

    def prepare(self, device: Any) -> None:
        if self._memory.mode:
            device.command(*self._memory.mode)

    def cells(self, image: Image.Image) -> CellGrid:
        """Return a byte per column of eight pixels, topmost in the lowest bit."""
        bands = image.height // 8
        columns = image.transpose(Image.Transpose.ROTATE_270).tobytes()  # each from the lowest band up
        return CellGrid(tuple(columns[band::bands] for band in range(bands - 1, -1, -1)), 1)

    def send(self, device: Any, window: Window, cells: CellGrid) -> None:
        column = window.left + self._memory.shift
        device.command(0xB0 | window.top, column & 0x0F, 0x10 | column >> 4)
        device.data(cells.part(window))


class FourAddressed:
    """SSD1322: four bits per pixel; a cell is 4 x 1 pixels in 2 bytes."""

    overhead = 16
    """Cost of a window: 7 address bytes and slow data/command switches."""

    banded = False

    def __init__(self, memory: Fours) -> None:
        self._memory = memory

    def prepare(self, device: Any) -> None:
        """Do nothing: luma's set-up suffices."""

    def cells(self, image: Image.Image) -> CellGrid:
        eights, width = image.tobytes(), image.width // 8
        rows = (eights[at : at + width] for at in range(0, len(eights), width))
        return CellGrid(tuple(b"".join(FOURS[eight] for eight in row) for row in rows), 2)

    def send(self, device: Any, window: Window, cells: CellGrid) -> None:
        shift = self._memory.shift
        device.command(0x15, shift + window.left, shift + window.right)
        device.command(0x75, window.top, window.bottom)
        device.command(0x5C)
        device.data(cells.part(window))


def addressing(memory: Memory) -> Addressing:
    return PageAddressed(memory) if isinstance(memory, PagedMemory) else FourAddressed(memory)


class Paged:
    """A luma device that receives only changes."""

    def __init__(self, device: Any, memory: Memory) -> None:
        self._controller = addressing(memory)
        self._controller.prepare(device)
        self.device = device
        self._held: CellGrid | None = None
        self._next = 0

    def show(self, image: Image.Image) -> None:
        """Show a mode "1" picture. Raises luma's errors; the next picture is then sent whole."""
        cells = self._controller.cells(self.device.preprocess(image))
        before, self._held = self._held, None
        for window in changed_windows(before, cells, self._controller.overhead, self._controller.banded):
            self._controller.send(self.device, window, cells)
        self._held = cells

    def wipe(self) -> None:
        """Blank the display, resending every pixel."""
        self._held = None
        self.show(Image.new("1", self.device.size))

    def refresh(self) -> None:
        """Resend the next eighth of the picture, to repair lost writes."""
        if self._held is None:
            return
        rows = len(self._held.rows)
        self._next = (self._next + 1) % EIGHTH
        top = rows * self._next // EIGHTH
        window = Window(top, top + rows // EIGHTH - 1, 0, self._held.columns - 1)
        self._controller.send(self.device, window, self._held)
