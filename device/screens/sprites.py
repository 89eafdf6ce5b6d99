"""Small pictures drawn for this project: config/sprites/SIZE/NAME.txt, a grid of "#" (lit) and "." (dark)."""

from __future__ import annotations

from functools import cache

from PIL import Image

from device.resources import resource
from engine.errors import RefereeError

SIZES = (11, 16, 22)
"""Heights in pixels, the smallest first."""


class SpriteError(RefereeError, ValueError):
    """A sprite's file is no grid."""


@cache
def sprite(name: str, size: int) -> Image.Image | None:
    """The picture of that name, at most `size` pixels high, mode "1"; None if there is none."""
    for height in sorted(SIZES, reverse=True):
        path = resource("sprites") / str(height) / f"{name}.txt"
        if height <= size and path.is_file():
            return read(path.read_text(encoding="utf-8"), str(path))
    return None


def read(text: str, where: str) -> Image.Image:
    """A grid as a picture. Raises SpriteError if its lines differ in length or hold other signs."""
    rows = text.split()
    if not rows or len({len(row) for row in rows}) != 1 or set("".join(rows)) - {"#", "."}:
        raise SpriteError(f"{where}: lines of equal length of # and . are wanted")
    image = Image.new("1", (len(rows[0]), len(rows)))
    image.putdata([char == "#" for row in rows for char in row])
    return image


@cache
def tiny() -> dict[str, Image.Image]:
    """The 3x5 letters and digits that number sectors and squares, by character."""
    glyphs = {}
    for block in resource("sprites", "tiny.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        char, _, grid = block.partition("\n")
        glyphs[char] = read(grid, f"tiny.txt, {char}")
    return glyphs
