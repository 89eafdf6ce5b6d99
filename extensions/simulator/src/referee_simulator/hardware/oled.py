"""A simulated OLED: a luma serial interface that can fail. Memory follows the controllers' datasheets, so wrong
addressing shows."""

from __future__ import annotations

import errno
import random
from collections.abc import Iterable, Sequence

import numpy as np
from luma.core.error import DeviceNotFoundError
from PIL import Image

_ARGUMENTS = {
    "ssd1306": dict.fromkeys((0x20, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1)
    | dict.fromkeys((0x21, 0x22, 0xA3), 2)
    | {0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5},
    "sh1106": dict.fromkeys((0x81, 0x8D, 0xA8, 0xAD, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1),
}
"""Argument bytes per command, if any. SSD1322 takes arguments as data."""


class SimulatedOled:
    """A display on its wire.

    controller: "ssd1306", "sh1106" or "ssd1322"
    first: first visible column; None is the usual one
    received, writes: bytes and messages so far
    on: panel is lit"""

    def __init__(
        self, controller: str = "ssd1306", size: tuple[int, int] = (128, 64), seed: int = 0, first: int | None = None
    ) -> None:
        self.controller, self.size = controller, size
        self._first = {"ssd1306": 0, "sh1106": 2, "ssd1322": 112}[controller] if first is None else first
        self.received = self.writes = 0
        self._noise = random.Random(seed)
        self._gone = False
        self._to_lose, self._share_lost = 0, 0.0
        self._power_up()

    def _power_up(self) -> None:
        """Fill memory with noise, and go dark."""
        self.on = False
        width = {"ssd1306": 128, "sh1106": 132, "ssd1322": 480}[self.controller]
        shape = (64, width // 2) if self.controller == "ssd1322" else (8, width)
        flat = np.frombuffer(self._noise.randbytes(shape[0] * shape[1]), dtype=np.uint8)
        self._memory = flat.reshape(shape).copy()
        self._horizontal = self._writing = False
        self._columns, self._rows = (0, shape[1] - 1), (0, shape[0] - 1)
        self._column = self._row = 0
        self._pending: list[int] = []

    def vanish(self) -> None:
        self._gone = True

    def come_back(self) -> None:
        self._gone = False
        self._power_up()

    def lose(self, writes: int) -> None:
        """Silently lose the next `writes` messages."""
        self._to_lose = writes

    def lose_some(self, share: float) -> None:
        """Lose this share of messages from now on."""
        self._share_lost = share

    def command(self, *cmd: int) -> None:
        """Take a command as luma's i2c. Raises DeviceNotFoundError if gone."""
        if self._gone:
            raise DeviceNotFoundError("simulated display is gone")
        if self._arrives(len(cmd)):
            for byte in cmd:
                self._command(byte)

    def data(self, data: Sequence[int]) -> None:
        """Take data as luma's i2c. Raises OSError if gone."""
        if self._gone:
            raise OSError(errno.EREMOTEIO, "simulated display is gone")
        if self._arrives(len(data)):
            if self.controller == "ssd1322" and not self._writing:
                self._pending += data
                self._window_1322()
            else:
                self._fill(data)

    def cleanup(self) -> None:
        """Keep the picture."""

    def pixels(self) -> Image.Image:
        width, height = self.size
        lit = np.zeros((height, width), dtype=bool)
        if self.on and not self._gone:
            if self.controller == "ssd1322":
                part = self._memory[:height, self._first // 2 : (self._first + width) // 2]
                lit[:, 0::2], lit[:, 1::2] = part >> 4 > 0, part & 0x0F > 0
            else:
                part = self._memory[: height // 8, self._first : self._first + width]
                lit = np.unpackbits(part[:, None, :], axis=1, bitorder="little").reshape(height, width).astype(bool)
        return Image.fromarray(lit)

    def _arrives(self, count: int) -> bool:
        self.writes += 1
        self.received += count
        if self._to_lose > 0:
            self._to_lose -= 1
            return False
        return not (self._share_lost and self._noise.random() < self._share_lost)

    def _command(self, byte: int) -> None:
        if self.controller == "ssd1322":
            self._command_1322(byte)
            return
        self._pending.append(byte)
        name, arguments = self._pending[0], self._pending[1:]
        if len(arguments) < _ARGUMENTS[self.controller].get(name, 0):
            return
        self._pending = []
        if name in (0xAE, 0xAF):
            self.on = name == 0xAF
        elif 0xB0 <= name <= 0xB7:
            self._row = name & 7
        elif name <= 0x0F:
            self._column = self._column & 0xF0 | name
        elif name <= 0x1F:
            self._column = self._column & 0x0F | (name & 0x0F) << 4
        elif self.controller == "ssd1306":
            self._window_1306(name, arguments)

    def _window_1306(self, name: int, arguments: Sequence[int]) -> None:
        if name == 0x20:
            self._horizontal = arguments[0] == 0
        elif name == 0x21:
            self._columns, self._column = (arguments[0] & 127, arguments[1] & 127), arguments[0] & 127
        elif name == 0x22:
            self._rows, self._row = (arguments[0] & 7, arguments[1] & 7), arguments[0] & 7

    def _command_1322(self, byte: int) -> None:
        self._writing = byte == 0x5C
        self._pending = [byte]
        if byte in (0xAE, 0xAF):
            self.on = byte == 0xAF
        if self._writing:
            self._column, self._row = self._columns[0], self._rows[0]

    def _window_1322(self) -> None:
        name, *arguments = self._pending or [0]
        if len(arguments) == 2 and name == 0x15:
            self._columns = arguments[0] * 2, arguments[1] * 2 + 1
        elif len(arguments) == 2 and name == 0x75:
            self._rows = arguments[0], arguments[1]

    def _fill(self, data: Iterable[int]) -> None:
        """Write bytes at the pointer, which wraps at its window or page; SH1106's stops."""
        windowed = self._horizontal or self.controller == "ssd1322"
        height, width = self._memory.shape
        for byte in data:
            if self._row < height and self._column < width:
                self._memory[self._row, self._column] = byte
            self._column += 1
            if windowed and self._column > self._columns[1]:
                self._column = self._columns[0]
                self._row = self._rows[0] if self._row >= self._rows[1] else self._row + 1
            elif not windowed and self._column >= width:
                self._column = 0 if self.controller == "ssd1306" else width
