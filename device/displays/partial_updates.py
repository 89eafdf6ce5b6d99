"""Sends only changes; luma sends SSD1306 and SH1106 whole frames."""

from __future__ import annotations

from typing import Any, Protocol

from PIL import Image

from device.displays.controllers import Fours, Memory, PagedMemory
from device.displays.dirty_rectangles import CellGrid, Window, changed_windows

EIGHTH = 8
"""Number of parts of a full refresh."""


class Addressing(Protocol):
    """A controller's memory layout. overhead, banded: see `windows.changed_windows`."""

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
    """Return the memory's addressing."""
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
        """Show a mode "1" picture. After luma's errors the next picture is sent whole."""
        cells = self._controller.cells(self.device.preprocess(image))
        before, self._held = self._held, None
        for window in changed_windows(before, cells, self._controller.overhead, self._controller.banded):
            self._controller.send(self.device, window, cells)
        self._held = cells

    def wipe(self) -> None:
        """Clear the whole memory."""
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
