"""Small pictures, ours and those of installed games: sprites/SIZE/NAME.txt, a grid of "#" (lit) and "." (dark)."""

from __future__ import annotations

import logging
from functools import cache

from PIL import Image

from device.resources import AGAIN, find
from engine.errors import RefereeError
from vision.files import BadFile, read_text

_log = logging.getLogger(__name__)

SIZES = (11, 16, 22)
"""Heights in pixels, the smallest first."""


class SpriteError(RefereeError, ValueError):
    """A sprite's file is no grid."""


@cache
def sprite(name: str, size: int) -> Image.Image | None:
    """The picture of that name, at most `size` pixels high, mode "1"; None if there is none that can be read."""
    for height in sorted((each for each in SIZES if each <= size), reverse=True):
        path = find("sprites", str(height), f"{name}.txt")
        if path.is_file():
            try:
                return read(read_text(path, remedy=AGAIN), str(path))
            except (BadFile, SpriteError) as error:
                _log.error("it is not drawn: %s", error)
    return None


def read(text: str, where: str) -> Image.Image:
    """A grid as a picture. Raises SpriteError if its lines differ in length or hold other signs."""
    rows = text.split()
    if not rows or len({len(row) for row in rows}) != 1 or set("".join(rows)) - {"#", "."}:
        raise SpriteError(f"{where}: lines of equal length of # and . are wanted")
    image = Image.new("1", (len(rows[0]), len(rows)))
    image.putdata([char == "#" for row in rows for char in row])
    return image
