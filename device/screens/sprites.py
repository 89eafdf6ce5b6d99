"""Reads sprites from sprites/SIZE/NAME.txt, grids of "#" (lit) and "." (dark)."""

from __future__ import annotations

import logging
from functools import cache

from PIL import Image

from device.resources import AGAIN, find
from engine.errors import RefereeError
from vision.files import BadFile, read_text

_log = logging.getLogger(__name__)

SIZES = (11, 16, 22)
"""Heights in pixels, ascending."""


class SpriteError(RefereeError, ValueError):
    """A sprite's file is invalid."""


@cache
def sprite(name: str, size: int) -> Image.Image | None:
    """Return the largest sprite up to `size` pixels high, mode "1"; None if unreadable."""
    for height in sorted((each for each in SIZES if each <= size), reverse=True):
        path = find("sprites", str(height), f"{name}.txt")
        if path.is_file():
            try:
                return read(read_text(path, remedy=AGAIN), str(path))
            except (BadFile, SpriteError) as error:
                _log.error("it is not drawn: %s", error)
    return None


def read(text: str, where: str) -> Image.Image:
    """Return a grid as a picture. Raises SpriteError."""
    rows = text.split()
    if not rows or len({len(row) for row in rows}) != 1 or set("".join(rows)) - {"#", "."}:
        raise SpriteError(f"{where}: lines of equal length of # and . are wanted")
    image = Image.new("1", (len(rows[0]), len(rows)))
    image.putdata([char == "#" for row in rows for char in row])
    return image
