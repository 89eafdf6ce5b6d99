"""Measures and wraps text in the 12-pixel bitmap font.

A line is `LINE` pixels high with its baseline at `BASE`; accented capitals rise by `OVERHANG`. Names may use a font
with more letters, lose accents or become `NO_GLYPH`.
"""

from __future__ import annotations

import io
import logging
import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from PIL import ImageFont

from device.locale import ENGLISH, Language, languages
from device.resources import AGAIN, resource, root
from vision.files import BadFile, decoding, read_bytes, read_text

if TYPE_CHECKING:
    from pathlib import Path

    from PIL._imaging import ImagingCore

_log = logging.getLogger(__name__)

SIZE = 12
LINE = 12
BASE = 10
OVERHANG = 2

NO_GLYPH = "□"
"""Sign for a letter without a glyph."""

_NO_START = frozenset("、。，．！？；：）」』》〉】］｝…—·,.!?;:)]}%’”»")
_NO_END = frozenset("（「『《〈【［｛([{‘“«")
_AFTER = frozenset("-–—/…")


@cache
def font(language: str) -> ImageFont.FreeTypeFont:
    """Return a language's font, zh_Hant's or the common one, or the other if unreadable. Raises BadFile if both are."""
    other, variant = ("sc", "tc") if _find_language(language).font == "tc" else ("tc", "sc")
    try:
        return _read(variant)
    except BadFile as error:
        _log.error("texts are drawn with the other font: %s", error)
        return _read(other)


def _read(variant: str) -> ImageFont.FreeTypeFont:
    return _open_font(root() / "fonts" / f"referee-pixel-{variant}.otf")


def _open_font(path: Path) -> ImageFont.FreeTypeFont:
    data = read_bytes(path, remedy=AGAIN)
    with decoding(path, AGAIN):
        return ImageFont.truetype(io.BytesIO(data), SIZE, layout_engine=ImageFont.Layout.BASIC)


@cache
def _names_font() -> ImageFont.FreeTypeFont | None:
    try:
        return _open_font(root() / "fonts" / "referee-pixel-names.woff")
    except BadFile as error:
        _log.error("names are drawn without the letters that only they need: %s", error)
        return None


@cache
def characters() -> frozenset[str]:
    """Return the catalogues' fonts' characters."""
    return frozenset(read_text(resource("fonts", "characters.txt"), remedy=AGAIN).rstrip("\n")) | {" "}


def missing(text: str) -> frozenset[str]:
    """Return a text's characters that the catalogues' fonts lack."""
    return frozenset(text) - characters() - {"\n"}


def illegible(text: str) -> frozenset[str]:
    """Return characters that displays show as `NO_GLYPH`."""
    return frozenset(char for char in text if char not in "\n" + NO_GLYPH and _drawn_as(char) == NO_GLYPH)


@lru_cache(maxsize=2048)
def _drawn_as(char: str) -> str:
    """Return the drawn character: itself, its base letter, `NO_GLYPH`, or ""."""
    if char in characters() or _in_names_font(char):
        return char
    if unicodedata.category(char)[0] in "MC":  # lone accents, and control signs
        return ""
    letter = unicodedata.normalize("NFKD", char)[0]
    return _drawn_as(letter) if letter != char else NO_GLYPH


def _in_names_font(char: str) -> bool:
    font, category = _names_font(), unicodedata.category(char)
    return font is not None and category[0] == "L" and _mask(font, char) != _mask(font, "\uffff")


def _mask(font: ImageFont.FreeTypeFont, char: str) -> bytes:
    return bytes(font.getmask(char, mode="1"))


_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RUN = re.compile(f"{_RIGHT_TO_LEFT}+(?:[ '-]+{_RIGHT_TO_LEFT}+)*")
_LETTERS = re.compile("\u0644[\u0622\u0623\u0625\u0627]|.", re.DOTALL)
"""Lam and alef form one sign."""


@cache
def _joined_forms() -> dict[tuple[str, str], str]:
    found = {}
    for code in (*range(0xFB50, 0xFDFC), *range(0xFE70, 0xFEFD)):
        place, *letters = unicodedata.decomposition(chr(code)).split() or [""]
        found[("".join(chr(int(letter, 16)) for letter in letters), place)] = chr(code)
    return found


def _join_arabic(text: str) -> str:
    letters, forms = _LETTERS.findall(text), _joined_forms()
    onward = [(letter, "<initial>") in forms for letter in letters]
    joins = [before and (letter, "<final>") in forms for before, letter in zip([False, *onward], letters, strict=False)]
    shown = []
    for letter, before, after in zip(letters, joins, [*joins[1:], False], strict=True):
        place = ("<medial>" if after else "<final>") if before else ("<initial>" if after else "<isolated>")
        shown.append(forms.get((letter, place), letter))
    return "".join(shown)


def visible(line: str) -> str:
    """Return a line in drawing order, left to right, with joined Arabic letters."""
    if line.isascii():
        return line
    plain = "".join(map(_drawn_as, line))
    return _RUN.sub(lambda run: _join_arabic(run[0])[::-1], plain)


def width(text: str, language: str) -> int:
    """Return the width in pixels; joined Arabic may be narrower."""
    return sum(_advance(char, language) for char in text)


class BitmapGlyph(NamedTuple):
    """A drawn character. right, down: offset from the baseline position. advance: pixels to the next."""

    mask: ImagingCore
    right: int
    down: int
    advance: int


@cache
def glyph(char: str, language: str) -> BitmapGlyph:
    """Return a character of a `visible` line, cached as drawing is slow."""
    mask, (right, down) = _font_of(char, language).getmask2(char, "1", anchor="ls")
    return BitmapGlyph(mask, right, down, _advance(char, language))


def _font_of(char: str, language: str) -> ImageFont.FreeTypeFont:
    return font(language) if char in characters() else _names_font() or font(language)


def overhang(text: str) -> int:
    """Return the pixels that a text rises above its line."""
    return OVERHANG if any("À" <= char <= "Ý" or char in "ЁЙ" or _stands_out(char) for char in visible(text)) else 0


def _stands_out(char: str) -> bool:
    return char not in characters() and glyph(char, "en").down < -BASE


@lru_cache(maxsize=2048)
def wrap(text: str, room: int, language: str) -> tuple[str, ...]:
    """Wrap text to `room` pixels, breaking words only if longer than a line."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _fill(paragraph, room, language)
    return tuple(lines)


def shorten(text: str, room: int, language: str) -> str:
    """Return the text, cut with an ellipsis to `room` pixels."""
    if width(text, language) <= room:
        return text
    used, kept = width(ellipsis(language), language), 0
    while kept < len(text) and (used := used + _advance(text[kept], language)) <= room:
        kept += 1
    return text[:kept].rstrip() + ellipsis(language)


def ellipsis(language: str) -> str:
    """Return an ellipsis, centred in Chinese."""
    return _find_language(language).ellipsis


def _find_language(language: str) -> Language:
    return languages().get(language.replace("-", "_"), ENGLISH)


@cache
def _advance(char: str, language: str) -> int:
    drawn = _drawn_as(char)
    return round(_font_of(drawn, language).getlength(drawn)) if drawn else 0


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
