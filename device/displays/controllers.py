"""The controllers of displays: what a table file may name. A new one is a row here.

One whose memory is addressed in a way of its own also needs a class in device/displays/partial_updates.py.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec.structs import replace


class PagedMemory(msgspec.Struct, frozen=True):
    """Memory of pages of eight rows. columns: how wide it is. shift: the first column that the panel shows. mode:
    commands that choose pages."""

    columns: int
    shift: int = 0
    mode: tuple[int, ...] = ()

    def showing(self, column: int) -> PagedMemory:
        """The same for a panel whose first column is that one."""
        return replace(self, shift=column)


class Fours(msgspec.Struct, frozen=True):
    """Memory of four bits a pixel, addressed by rows and by fours of columns. columns: how wide it is. shift: the first
    four that is shown."""

    columns: int
    shift: int = 0

    def showing(self, column: int) -> Fours:
        """The same for a panel whose first column is that one, the first of a four."""
        return replace(self, shift=column // 4)


Memory: TypeAlias = PagedMemory | Fours


class Controller(msgspec.Struct, frozen=True):
    """A controller, called as luma.oled calls it.

    sizes: widths and heights in pixels that the screens are laid out for, the usual one first. buses: "i2c", "spi".
    """

    sizes: tuple[tuple[int, int], ...]
    buses: tuple[str, ...]
    memory: Memory


CONTROLLERS = {
    # luma chooses windows of columns and pages, which cost twice as many bytes to address as a page does
    "ssd1306": Controller(((128, 64),), ("i2c", "spi"), PagedMemory(128, mode=(0x20, 0x02))),
    "sh1106": Controller(((128, 64),), ("i2c", "spi"), PagedMemory(132, shift=2)),
    "ssd1322": Controller(((256, 64),), ("spi",), Fours(480, shift=(480 - 256) // 2 // 4)),
}
