"""Sends only what changed: luma's own display() sends whole frames to SSD1306 and SH1106.

A `Paged` holds a luma device, what its memory holds by all that was sent, and how its controller is addressed.
"""

from __future__ import annotations

from typing import Any, Protocol

from PIL import Image

from device.displays.controllers import Fours, Memory, PagedMemory
from device.displays.dirty_rectangles import CellGrid, Window, changed_windows

EIGHTH = 8
"""In so many parts a display is sent again."""


class Addressing(Protocol):
    """The layout and addressing of a controller's memory. overhead and banded as in `windows.changed_windows`."""

    overhead: int
    banded: bool

    def prepare(self, device: Any) -> None:
        """Set what luma's own set-up leaves otherwise than `send` needs it."""
        ...

    def cells(self, image: Image.Image) -> CellGrid:
        """A picture of mode "1" as the controller's memory."""
        ...

    def send(self, device: Any, window: Window, cells: CellGrid) -> None:
        """Writes the window's part of `cells`."""
        ...


FOURS = tuple(
    bytes(0xF0 * (eight >> high & 1) | 0x0F * (eight >> high - 1 & 1) for high in (7, 5, 3, 1)) for eight in range(256)
)
"""Eight pixels, the leftmost in the highest bit, as four bits each."""


class PageAddressed:
    """SSD1306 and SH1106: a page of eight rows and a start column.

    The memory of an SH1106 is 132 columns wide; its panel sits from column 2 on.
    """

    overhead = 3 + 2 + 2  # addressing; address and control byte of both messages on I2C
    banded = True

    def __init__(self, memory: PagedMemory) -> None:
        self._memory = memory

    def prepare(self, device: Any) -> None:
        if self._memory.mode:
            device.command(*self._memory.mode)

    def cells(self, image: Image.Image) -> CellGrid:
        """One byte a column of eight pixels, the topmost in the lowest bit."""
        bands = image.height // 8
        columns = image.transpose(Image.Transpose.ROTATE_270).tobytes()  # each from the lowest band up
        return CellGrid(tuple(columns[band::bands] for band in range(bands - 1, -1, -1)), 1)

    def send(self, device: Any, window: Window, cells: CellGrid) -> None:
        column = window.left + self._memory.shift
        device.command(0xB0 | window.top, column & 0x0F, 0x10 | column >> 4)
        device.data(cells.part(window))


class FourAddressed:
    """SSD1322: four bits a pixel; columns are addressed by fours, rows one by one. A cell is 4 x 1 pixels: 2 bytes."""

    overhead = 16
    """Addressing takes 7 bytes; but every window also turns the data/command line over, again and again."""

    banded = False

    def __init__(self, memory: Fours) -> None:
        self._memory = memory

    def prepare(self, device: Any) -> None:
        """luma's set-up will do."""

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
    """Return how the memory of a controller is written."""
    return PageAddressed(memory) if isinstance(memory, PagedMemory) else FourAddressed(memory)


class Paged:
    """A luma device that gets only what differs from what it holds."""

    def __init__(self, device: Any, memory: Memory) -> None:
        self._controller = addressing(memory)
        self._controller.prepare(device)
        self.device = device
        self._held: CellGrid | None = None
        self._next = 0

    def show(self, image: Image.Image) -> None:
        """Shows a picture of mode "1" in the device's size. Sends nothing if it is shown already.

        Raises what luma raises; what the memory holds is then unknown, and the next picture goes out whole.
        """
        cells = self._controller.cells(self.device.preprocess(image))
        before, self._held = self._held, None
        for window in changed_windows(before, cells, self._controller.overhead, self._controller.banded):
            self._controller.send(self.device, window, cells)
        self._held = cells

    def wipe(self) -> None:
        """Makes the whole memory dark, whatever it is thought to hold."""
        self._held = None
        self.show(Image.new("1", self.device.size))

    def refresh(self) -> None:
        """Sends one eighth of what is shown again, the next one each time: a write that got lost heals by itself."""
        if self._held is None:
            return
        rows = len(self._held.rows)
        self._next = (self._next + 1) % EIGHTH
        top = rows * self._next // EIGHTH
        window = Window(top, top + rows // EIGHTH - 1, 0, self._held.columns - 1)
        self._controller.send(self.device, window, self._held)
