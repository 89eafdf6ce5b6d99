"""Lists display controllers for table files.

One with special addressing also needs a class in `partial_updates`.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec.structs import replace


class PagedMemory(msgspec.Struct, frozen=True):
    """Memory in pages of eight rows. columns: width. shift: first visible column. mode: set-up commands."""

    columns: int
    shift: int = 0
    mode: tuple[int, ...] = ()

    def showing(self, column: int) -> PagedMemory:
        """Return the memory with this first visible column."""
        return replace(self, shift=column)


class Fours(msgspec.Struct, frozen=True):
    """Four-bit memory, addressed by rows and groups of four columns. shift: first visible group."""

    columns: int
    shift: int = 0

    def showing(self, column: int) -> Fours:
        """Return the memory with this first visible column, a multiple of four."""
        return replace(self, shift=column // 4)


Memory: TypeAlias = PagedMemory | Fours


class Controller(msgspec.Struct, frozen=True):
    """A controller by luma.oled's name. sizes: pixels, default first. buses: "i2c", "spi"."""

    sizes: tuple[tuple[int, int], ...]
    buses: tuple[str, ...]
    memory: Memory


CONTROLLERS = {
    # luma addresses windows of columns and pages, which costs twice a page's bytes
    "ssd1306": Controller(((128, 64),), ("i2c", "spi"), PagedMemory(128, mode=(0x20, 0x02))),
    "sh1106": Controller(((128, 64),), ("i2c", "spi"), PagedMemory(132, shift=2)),
    "ssd1322": Controller(((256, 64),), ("spi",), Fours(480, shift=(480 - 256) // 2 // 4)),
}
