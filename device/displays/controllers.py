"""The controllers of displays: what a table file may name. A new one is a row here.

One whose memory is addressed in a way of its own also needs a class in device/displays/paged.py.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Pages(msgspec.Struct, frozen=True):
    """Memory of pages of eight rows. shift: the first column that the panel shows. mode: commands that choose pages."""

    shift: int = 0
    mode: tuple[int, ...] = ()


class Fours(msgspec.Struct, frozen=True):
    """Memory of four bits a pixel, addressed by rows and by fours of columns. shift: the first four that is shown."""

    shift: int = 0


Memory: TypeAlias = Pages | Fours


class Controller(msgspec.Struct, frozen=True):
    """A controller, called as luma.oled calls it.

    sizes: widths and heights in pixels that the screens are laid out for, the usual one first. buses: "i2c", "spi".
    """

    sizes: tuple[tuple[int, int], ...]
    buses: tuple[str, ...]
    memory: Memory


CONTROLLERS = {
    # luma chooses windows of columns and pages, which cost twice as many bytes to address as a page does
    "ssd1306": Controller(((128, 64),), ("i2c", "spi"), Pages(mode=(0x20, 0x02))),
    "sh1106": Controller(((128, 64),), ("i2c", "spi"), Pages(shift=2)),
    "ssd1322": Controller(((256, 64),), ("spi",), Fours(shift=(480 - 256) // 2 // 4)),
}
