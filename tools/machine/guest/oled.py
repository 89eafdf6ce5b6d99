"""What displays show, worked out from the bytes that were sent to them (the records of modules/pi_buses.c).

Written after the datasheets, apart from the project's simulator and driver, so that a mistake of these shows. Needs no
library but Pillow, and that only for pictures.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

HEAD = struct.Struct("<QBBH")
SPI = 64
"""The bus number of what is on SPI."""

ARGUMENTS = {
    0x20: 1, 0x21: 2, 0x22: 2, 0x23: 1, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2, 0xA8: 1,
    0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD6: 1, 0xD8: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
}  # fmt: skip
"""SSD1306 and SH1106: commands that are followed by others' bytes, and how many."""

IGNORED = frozenset({*range(0x40, 0x80), *ARGUMENTS, 0x2E, 0x2F, 0xE3})
"""Commands that change nothing of which pixels are lit."""

Key = tuple[int, int]
"""Bus and address; (SPI, 0) for the display on SPI."""


def records(data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """(ns, bus, where, bytes) of each; what is cut off at the end is left out."""
    at = 0
    while at + HEAD.size <= len(data):
        ns, bus, where, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > len(data):
            return
        yield ns, bus, where, data[at : at + length]
        at += length


class Ssd1306:
    """128 x 64 pixels: addressing modes 0, 1 and 2, on and off, charge pump, both mirrors, inverse."""

    def __init__(self) -> None:
        self.ram = bytearray(1024)  # a real one powers up with noise
        self.on = self.pump = self._remap = self._flip = self._inverse = self._all_on = False
        self.changes = 0
        self.faults = list[str]()
        self._mode, self._page, self._column = 2, 0, 0
        self._columns, self._pages = (0, 127), (0, 7)
        self._pending = list[int]()

    def feed(self, message: bytes) -> None:
        """One write: a control byte and what it announces; nothing is a probe."""
        if not message:
            return
        control, body = message[0], message[1:]
        if control == 0x00:
            for byte in body:
                self._command(byte)
        elif control == 0x40:
            for byte in body:
                self._data(byte)
        else:
            self.faults.append(f"control byte {control:#x}")

    def is_lit(self) -> bool:
        """Whether anything can be seen."""
        return (
            self.on and self.pump and (self._all_on or any(byte != (0xFF if self._inverse else 0) for byte in self.ram))
        )

    def rows(self) -> list[list[int]]:
        """Pixels as somebody before the display sees them (its header at the top), 0 or 1; dark if it is off."""
        if not (self.on and self.pump):
            return [[0] * 128 for _ in range(64)]
        rows = [
            [(self.ram[y // 8 * 128 + x] >> y % 8 & 1) ^ self._inverse | self._all_on for x in range(128)]
            for y in range(64)
        ]
        if not self._remap:
            rows = [row[::-1] for row in rows]
        return rows if self._flip else rows[::-1]

    def _command(self, byte: int) -> None:
        self._pending.append(byte)
        if len(self._pending) <= ARGUMENTS.get(self._pending[0], 0):
            return
        (command, *values), self._pending = self._pending, []
        if not (self._address(command, values) or self._look(command, values) or command in IGNORED):
            self.faults.append(f"command {command:#x}")

    def _address(self, command: int, values: list[int]) -> bool:
        """Commands that say where data goes."""
        if command == 0x20:
            self._mode = values[0] & 3
        elif command == 0x21:
            self._columns, self._column = (values[0], values[1]), values[0]
        elif command == 0x22:
            self._pages, self._page = (values[0], values[1]), values[0] & 7
        elif command <= 0x0F:
            self._column = self._column & 0xF0 | command
        elif command <= 0x1F:
            self._column = (command & 0x0F) << 4 | self._column & 0x0F
        elif 0xB0 <= command <= 0xB7:
            self._page = command & 7
        else:
            return False
        return True

    def _look(self, command: int, values: list[int]) -> bool:
        """Commands that say how it is shown."""
        match command:
            case 0x8D:
                self.pump = values[0] == 0x14
            case 0xA0 | 0xA1:
                self._remap = command == 0xA1
            case 0xC0 | 0xC8:
                self._flip = command == 0xC8
            case 0xA4 | 0xA5:
                self._all_on = command == 0xA5
            case 0xA6 | 0xA7:
                self._inverse = command == 0xA7
            case 0xAE | 0xAF:
                self.on = command == 0xAF
            case _:
                return False
        return True

    def _data(self, byte: int) -> None:
        at = self._page * 128 + self._column % 128
        self.changes += self.ram[at] != byte
        self.ram[at] = byte
        if self._mode == 2:
            self._column = (self._column + 1) % 128
            return
        low, high = self._columns
        self._column += 1
        if self._column > high:
            self._column = low
            self._page = self._page + 1 if self._page < self._pages[1] else self._pages[0]


class Ssd1322:
    """480 columns of four bits by 128 rows; the panel of 256 x 64 begins at column 112."""

    def __init__(self) -> None:
        self.ram = [[0] * 480 for _ in range(128)]
        self.on = False
        self.changes = 0
        self.faults = list[str]()
        self._command, self._values = 0, list[int]()
        self._columns, self._rows, self._at, self._half = (0, 119), (0, 127), [0, 0], 0

    def send(self, is_data: bool, message: bytes) -> None:
        """One transfer with the level of D/C."""
        for byte in message:
            if is_data:
                self._data(byte)
            else:
                self._begin(byte)

    def is_lit(self) -> bool:
        """Whether anything can be seen."""
        return self.on and any(any(row[112:368]) for row in self.ram[:64])

    def rows(self) -> list[list[int]]:
        """Pixels, 0 or 1; dark if it is off."""
        return [[int(self.on and value > 7) for value in row[112:368]] for row in self.ram[:64]]

    def _begin(self, command: int) -> None:
        self._command, self._values = command, []
        if command == 0x5C:
            self._at, self._half = [self._rows[0], self._columns[0]], 0
        elif command in (0xAE, 0xAF):
            self.on = command == 0xAF

    def _data(self, byte: int) -> None:
        if self._command == 0x5C:
            self._pixels(byte)
            return
        self._values.append(byte)
        if len(self._values) == 2 and self._command == 0x15:
            self._columns = (self._values[0], self._values[1])
        elif len(self._values) == 2 and self._command == 0x75:
            self._rows = (self._values[0], self._values[1])

    def _pixels(self, byte: int) -> None:
        """Two pixels a byte, two bytes a column."""
        row, column = self._at
        x = column * 4 + self._half * 2
        if row < 128 and x + 1 < 480:
            pair = [byte >> 4, byte & 15]
            self.changes += self.ram[row][x : x + 2] != pair
            self.ram[row][x : x + 2] = pair
        self._half = 1 - self._half
        if self._half == 0:
            column += 1
            if column > self._columns[1]:
                column, row = self._columns[0], row + 1 if row < self._rows[1] else self._rows[0]
            self._at = [row, column]


class Displays:
    """All that were ever written to. `last`: when the memory of each was changed last, in ns of the machine's monotonic
    clock: what is sent again as it was, to mend what got lost, changes nothing. `bits`: what each has cost its I2C bus:
    nine for a byte and for the address, and one each to begin and to end.
    """

    def __init__(self) -> None:
        self.found = dict[Key, Ssd1306 | Ssd1322]()
        self.last = dict[Key, int]()
        self.sent = dict[Key, int]()
        self.bits = dict[Key, int]()
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """What was recorded since the last call, cut anywhere."""
        for _ in self.steps(data):
            pass

    def steps(self, data: bytes) -> Iterator[tuple[int, Key]]:
        """As `feed`, one record after the other: (ns, which display)."""
        data, whole = self._rest + data, 0
        for ns, bus, where, message in records(data):
            whole += HEAD.size + len(message)
            key = (SPI, 0) if bus == SPI else (bus, where)
            display = self.found.setdefault(key, Ssd1322() if bus == SPI else Ssd1306())
            before = display.changes
            if isinstance(display, Ssd1322):
                display.send(bool(where), message)
            else:
                display.feed(message)
            if display.changes != before or key not in self.last:
                self.last[key] = ns
            self.sent[key] = self.sent.get(key, 0) + len(message)
            if bus != SPI:
                self.bits[key] = self.bits.get(key, 0) + 9 * (len(message) + 1) + 2
            yield ns, key
        self._rest = data[whole:]

    def lit_displays(self) -> list[Key]:
        """Those on which something can be seen."""
        return sorted(key for key, display in self.found.items() if display.is_lit())


def image(rows: list[list[int]]) -> Image:
    """Rows of 0 and 1 as a picture of mode 1."""
    from PIL import Image

    picture = Image.new("1", (len(rows[0]), len(rows)))
    picture.putdata([value * 255 for row in rows for value in row])
    return picture
