"""The 12-pixel bitmap font: measuring and breaking lines for Latin, Cyrillic and CJK.

Glyphs stand on a grid of one pixel, so every width is a whole number of pixels. A line is `LINE` pixels high, its
baseline `BASE` below its top; capitals with accents reach up to `OVERHANG` pixels above it.
"""

from __future__ import annotations

import io
import logging
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from PIL import ImageFont

from device.locale import ENGLISH, Language, languages
from device.resources import AGAIN, resource, root
from vision.files import BadFile, decoding, read_bytes, read_text

if TYPE_CHECKING:
    from PIL._imaging import ImagingCore

_log = logging.getLogger(__name__)

SIZE = 12
LINE = 12
BASE = 10
OVERHANG = 2

_NO_START = frozenset("、。，．！？；：）」』》〉】］｝…—·,.!?;:)]}%’”»")
_NO_END = frozenset("（「『《〈【［｛([{‘“«")
_AFTER = frozenset("-–—/…")


@cache
def font(language: str) -> ImageFont.FreeTypeFont:
    """The font of a language: characters that both Chinese scripts share are drawn otherwise in zh_Hant."""
    other, variant = ("sc", "tc") if _known(language).font == "tc" else ("tc", "sc")
    try:
        return _read(variant)
    except BadFile as error:
        _log.error("texts are drawn with the other font: %s", error)
        return _read(other)


def _read(variant: str) -> ImageFont.FreeTypeFont:
    """Raises BadFile."""
    path = root() / "fonts" / f"referee-pixel-{variant}.otf"
    data = read_bytes(path, remedy=AGAIN)
    with decoding(path, AGAIN):
        return ImageFont.truetype(io.BytesIO(data), SIZE, layout_engine=ImageFont.Layout.BASIC)


@cache
def characters() -> frozenset[str]:
    """Every character that the shipped fonts can draw."""
    return frozenset(read_text(resource("fonts", "characters.txt"), remedy=AGAIN).rstrip("\n")) | {" "}


def missing(text: str) -> frozenset[str]:
    """Characters of a text that have no glyph."""
    return frozenset(text) - characters() - {"\n"}


def width(text: str, language: str) -> int:
    """Pixels from the first glyph's origin to the end of the last one's advance."""
    return sum(_advance(char, language) for char in text)


class Glyph(NamedTuple):
    """A character as a mask of mode "1". right, down: where its top left stands beside its place on the baseline.
    advance: pixels from there to the next one's place."""

    mask: ImagingCore
    right: int
    down: int
    advance: int


@cache
def glyph(char: str, language: str) -> Glyph:
    """A character, drawn once: FreeType draws outlines, and took most of the time of a screen that was new.

    No font moves two characters closer together, so a line is its characters side by side.
    """
    mask, (right, down) = font(language).getmask2(char, "1", anchor="ls")
    return Glyph(mask, right, down, _advance(char, language))


def overhang(text: str) -> int:
    """Pixels by which a text stands out above its line."""
    return OVERHANG if any("À" <= char <= "Ý" or char in "ЁЙ" for char in text) else 0


@lru_cache(maxsize=2048)
def wrap(text: str, room: int, language: str) -> tuple[str, ...]:
    """Lines at most `room` pixels wide. Breaks where the script allows it; a word wider than a line breaks anywhere."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _fill(paragraph, room, language)
    return tuple(lines)


def shorten(text: str, room: int, language: str) -> str:
    """The text, or as much of its beginning as fits with an ellipsis: what is cut is seen to be cut."""
    if width(text, language) <= room:
        return text
    used, kept = width(ellipsis(language), language), 0
    while kept < len(text) and (used := used + _advance(text[kept], language)) <= room:
        kept += 1
    return text[:kept].rstrip() + ellipsis(language)


def ellipsis(language: str) -> str:
    """Three dots: on the middle of the line in Chinese, at its foot elsewhere."""
    return _known(language).ellipsis


def _known(language: str) -> Language:
    return languages().get(language.replace("-", "_"), ENGLISH)


@cache
def _advance(char: str, language: str) -> int:
    return round(font(language).getlength(char))


def _fill(paragraph: str, room: int, language: str) -> list[str]:
    lines, start, breakable, used = [], 0, 0, 0
    for here, char in enumerate(paragraph):
        if here > start and _may_break(paragraph[here - 1], char):
            breakable = here
        used += _advance(char, language)
        while used > room and char != " " and here > start:
            end = breakable if breakable > start else here
            lines.append(paragraph[start:end].rstrip(" "))
            start, breakable = end, end
            used = width(paragraph[start : here + 1], language)
    return [*lines, paragraph[start:].rstrip(" ")]


def _may_break(before: str, after: str) -> bool:
    if after == " " or after in _NO_START or before in _NO_END:
        return False
    return before == " " or before in _AFTER or _is_cjk(before) or _is_cjk(after)


def _is_cjk(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"
