"""Draws a QR code beside text, sized for phones."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from device.screens import fonts
from device.screens.canvas import Block, Canvas

SIDE = 64
"""Side of the code's lit square in pixels."""

MODULE = 2
"""Pixels of a module: 0.34 mm on a 0.96" display."""

_GAP = 3
_QUIET = 1
"""Quiet modules around a code; the standard's four aren't needed."""


@lru_cache(maxsize=8)  # drawn again whenever anything beside it changes
def modules(address: str) -> tuple[bytes, ...]:
    """Return the code's rows, one byte per module (1 is dark). Capitals save space."""
    import segno

    head, mark, secret = address.partition("#")
    parts: Any = [part for part in (head, mark, secret) if part]  # each in the mode that is shortest for it
    return tuple(bytes(row) for row in segno.make(parts, error="l", micro=False).matrix)


def code_block(address: str, lines: tuple[str, ...]) -> Block:
    """Return the code with lines of text beside it."""
    rows = modules(address)
    start = (SIDE - MODULE * len(rows)) // 2

    def paint(canvas: Canvas, y: int) -> None:
        canvas.box(0, y, SIDE, SIDE)
        for down, row in enumerate(rows):
            for across, dark in enumerate(row):
                if dark:
                    canvas.box(start + MODULE * across, y + start + MODULE * down, MODULE, MODULE, ink=0)
        top = y + max(0, (SIDE - len(lines) * fonts.LINE) // 2)
        for number, text in enumerate(lines):
            canvas.text(SIDE + _GAP, top + number * fonts.LINE, text)

    def problems() -> tuple[str, ...]:
        large = len(rows) + 2 * _QUIET > SIDE // MODULE
        tall = len(lines) > SIDE // fonts.LINE
        return (
            *((f"{address} is too long for a code",) if large else ()),
            *(("too much beside a code",) if tall else ()),
        )

    return Block(SIDE, paint, problems)


def beside(width: int) -> int:
    """Return the pixels left beside a code."""
    return width - SIDE - _GAP
